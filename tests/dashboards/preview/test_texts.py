"""Labels, Markdown and times: small texts that become parts of a page."""

from __future__ import annotations

import pytest

from cloudwatch.metric import Metric
from dashboards.preview.labels import default_labels, label_parts, names_series
from dashboards.preview.markdown import is_safe_link, markdown_html
from dashboards.preview.timespan import Span, parse_relative, shown_span

METRIC = Metric(
    namespace="AWS/Bedrock",
    name="Invocations",
    dimensions=(("ModelId", "nova ${MAX}"),),
    region="us-east-1",
    account_id="111122223333",
)


def test_a_label_is_split_into_what_is_fixed_and_what_follows_the_range() -> None:
    """Properties are put in, statistics stay names, unknown names stay as written."""
    parts = label_parts("${PROP('Stat')} of ${LABEL} ${AVG}, ${NOPE} ${ MAX }", default="x", metric=METRIC, stat="p90")
    assert parts == ["p90", " of ", "x", " ", {"stat": "AVG"}, ", ${NOPE} ", {"stat": "MAX"}]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Dim.ModelId", "nova ${MAX}"),
        ("Dim.Nope", None),
        ("MetricName", "Invocations"),
        ("Namespace", "AWS/Bedrock"),
        ("Region", "us-east-1"),
        ("AccountId", "111122223333"),
        ("Period", "300"),
    ],
)
def test_every_property_is_known(name: str, value: str | None) -> None:
    """A property is a text, and a dimension value that looks like a label is not read as one."""
    parts = label_parts("${PROP('" + name + "')}", default="", metric=METRIC, period_s=300)
    assert parts == ([value] if value else [])


def test_whether_a_label_tells_series_apart() -> None:
    """A label with LABEL or a property does; one with a statistic alone does not."""
    assert names_series("${LABEL} x")
    assert names_series("${PROP('Dim.ModelId')}")
    assert not names_series("all ${MAX}")


def test_default_labels_leave_out_what_is_common() -> None:
    """Two models of one metric are told apart by model; one metric alone is its name."""
    other = Metric(
        namespace="AWS/Bedrock",
        name="Invocations",
        dimensions=(("ModelId", "haiku"),),
        region="us-east-1",
        account_id="111122223333",
    )
    assert default_labels([(METRIC, "Sum"), (other, "Sum")]) == ["nova ${MAX}", "haiku"]
    assert default_labels([(METRIC, "Sum"), (METRIC, "p90")]) == ["Sum", "p90"]
    assert default_labels([(METRIC, "Sum")]) == ["Invocations"]


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//host/path",
        "/path",
        "ftp://host",
        "http:",
        "https://",
        " javascript:x",
        "java\nscript:x",
        "#a",
    ],
)
def test_an_address_that_is_not_http_is_no_link(address: str) -> None:
    """The words of such a link stay, the link does not."""
    assert not is_safe_link(address)
    html = markdown_html(f"[words](<{address}>)")
    assert "words" in html
    assert "href" not in html


def test_an_http_link_opens_elsewhere_without_its_opener() -> None:
    """Links have rel and target; a button of CloudWatch's Markdown is a class."""
    html = markdown_html("[button:primary:Go](https://a.example/?x=1&y=2)")
    assert 'href="https://a.example/?x=1&amp;y=2"' in html
    assert 'rel="noopener noreferrer"' in html
    assert 'class="button primary"' in html
    assert ">Go</a>" in html


def test_markdown_has_no_html_and_no_style_attribute() -> None:
    """HTML is shown as text, pictures are links, and aligned columns are classes: the page forbids inline styles."""
    html = markdown_html(
        "<b onclick=x>t</b>\n\n![pic](https://a.example/p.png) ![bad](javascript:x)\n\n| a |\n|--:|\n| 1 |"
    )
    assert "<b" not in html
    assert "<img" not in html
    assert "style=" not in html
    assert 'class="align-right"' in html
    assert html.count("<a ") == 1


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("-PT3H", 10_800),
        ("-P7D", 604_800),
        ("-P3M", 90 * 86_400),
        ("-PT5M", 300),
        ("-P1W", 604_800),
        ("-P", None),
        ("3h", None),
        ("2026-01-01", None),
    ],
)
def test_relative_times(text: str, seconds: int | None) -> None:
    """The forms of the body structure are read, anything else is not."""
    assert parse_relative(text) == seconds


DATA = Span(start_s=1_793_577_600, end_s=1_793_664_000)


@pytest.mark.parametrize(
    ("start", "end", "first", "last", "told"),
    [
        (None, None, 0, 86_400, ""),
        ("-PT3H", None, 75_600, 86_400, ""),
        ("-P7D", None, 0, 86_400, ""),
        ("2026-11-02T02:00:00Z", "2026-11-02T04:00:00Z", 7200, 14_400, ""),
        ("2026-11-01T00:00:00Z", None, 0, 86_400, "part"),
        ("2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z", 0, 86_400, "no data"),
        ("soon", None, 0, 86_400, "no time"),
        ("-PT3H", "later", 0, 86_400, "ISO 8601"),
    ],
)
def test_the_range_of_a_body_is_held_within_the_data(
    start: str | None, end: str | None, first: int, last: int, told: str
) -> None:
    """A relative start counts back from the end of the data; what cannot be shown is said."""
    span, note = shown_span(start, end, data=DATA)
    assert (span.start_s - DATA.start_s, span.end_s - DATA.start_s) == (first, last)
    assert told in note
    assert bool(told) == bool(note)


@pytest.mark.parametrize(
    ("start", "end", "first", "last"),
    [
        ("-PT3H", None, 0, 86_400),
        ("-P7D", None, 0, 86_400),
        ("2026-11-02T02:00:00Z", "2026-11-02T04:00:00Z", 7200, 14_400),
    ],
)
def test_a_recording_has_no_now(start: str, end: str | None, first: int, last: int) -> None:
    """Without a now a relative start shows everything, and a range by date is still the range."""
    span, note = shown_span(start, end, data=DATA, counts_back=False)
    assert (span.start_s - DATA.start_s, span.end_s - DATA.start_s, note) == (first, last, "")
