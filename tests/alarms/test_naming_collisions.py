"""Names that keys make: within AWS's limits, and no two alike."""

from __future__ import annotations

from alarms.naming import CAUSES, SYMPTOMS, Site, alarm_name, collisions, dashboard_name, stack_name, topic_name

SLUGS = (*CAUSES, *SYMPTOMS)


def site(alias: str, *, account_id: str = "111122223333", region: str = "us-east-1", prefix: str = "llm") -> Site:
    """Return a site."""
    return Site(prefix=prefix, alias=alias, account_id=account_id, region=region)


def test_the_longest_keys_stay_within_the_limits_of_aws() -> None:
    """Prefix 20, alias 40, model 40: alarm and dashboard 255, stack 128, topic 256 characters."""
    longest = site("a" * 40, region="ap-northeast-1", prefix="p" * 20)
    assert max(len(alarm_name(longest, model="m" * 40, slug=slug)) for slug in SLUGS) <= 255
    assert len(dashboard_name(longest, "m" * 40)) <= 255
    assert len(stack_name(longest, model="m" * 40)) <= 128
    assert len(topic_name(longest, "ticket")) <= 256


def test_ordinary_sites_do_not_collide() -> None:
    """Two accounts, two Regions, the same models everywhere."""
    sites = [
        (site(alias, account_id=account_id, region=region), ["chat", "search"])
        for alias, account_id in (("prod", "111122223333"), ("staging", "444455556666"))
        for region in ("us-east-1", "us-west-2")
    ]
    assert collisions(sites) == ()


def test_joined_names_collide_where_hyphens_move() -> None:
    """`a-b` + `c` and `a` + `b-c` in one account give one alarm name; in two accounts only one stack id."""
    kinds = {clash.kind for clash in collisions([(site("a-b"), ["c"]), (site("a"), ["b-c"])])}
    assert kinds == {"alarm"}
    other = site("a", account_id="444455556666")
    assert collisions([(site("a-b"), ["c"]), (other, ["b-c"])]) == ()


def test_logical_ids_collide_where_hyphens_are_dropped() -> None:
    """`chat-` and `chat` are two keys and one logical id."""
    (clash,) = collisions([(site("prod"), ["chat", "chat-"])])
    assert (clash.kind, clash.first, clash.second) == ("logical id", ("prod", "chat"), ("prod", "chat-"))


def test_a_model_called_like_a_region_can_meet_another_account() -> None:
    """`a` in us-east-1 with a model `us-east-1` has the stack of the account `a-us-east-1`."""
    clashes = collisions([(site("a"), ["us-east-1"]), (site("a-us-east-1"), [])])
    assert ("stack", "BedrockMonitor-a-us-east-1-us-east-1") in {(clash.kind, clash.name) for clash in clashes}


def test_a_model_cannot_take_the_place_of_a_page() -> None:
    """A model called fleet would have the fleet page's name."""
    assert {clash.kind for clash in collisions([(site("prod"), ["fleet"])])} == {"dashboard"}
