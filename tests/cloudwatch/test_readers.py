"""What readers make of templates and API answers, ours and foreign."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cloudwatch.alarm import CompositeAlarm, MetricAlarm
from cloudwatch.cloudformation import alarm_properties, alarm_resource, dashboard_properties, metric_filter_properties
from cloudwatch.metric_filter import MetricFilter
from cloudwatch.problems import Problem, ProblemSeverity
from cloudwatch.readers.cloudformation import UNRESOLVED_PREFIX, read_template
from cloudwatch.readers.describe_alarms import read_describe_alarms
from tests.cloudwatch.strategies import composite_alarms, metric_alarms, metric_filters

PLAIN: dict[str, Any] = {
    "AlarmName": "a",
    "Namespace": "AWS/Bedrock",
    "MetricName": "Invocations",
    "Statistic": "Sum",
    "Period": 60,
    "EvaluationPeriods": 3,
    "ComparisonOperator": "GreaterThanThreshold",
    "Threshold": 1,
}
TOPIC = "arn:aws:sns:eu-west-1:444455556666:pages"


def template(properties: dict[str, Any], **sections: Any) -> dict[str, Any]:
    """A template with one alarm X."""
    return {"Resources": {"X": {"Type": "AWS::CloudWatch::Alarm", "Properties": properties}}, **sections}


def through_json(value: Any) -> Any:
    """What is left of a value after it was written to a file and read again."""
    return json.loads(json.dumps(value))


@given(metric_alarms())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_alarm_to_template_to_alarm_is_the_identity(alarm: MetricAlarm) -> None:
    """Whatever alarm is rendered, the reader gives the same value back."""
    found = read_template(through_json({"Resources": {"X": alarm_resource(alarm)}}))
    assert found.problems == ()
    assert found.alarms == (alarm,)
    assert found.source_names == {"X": alarm.name}


@given(composite_alarms())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_composite_to_template_to_composite_is_the_identity(alarm: CompositeAlarm) -> None:
    """The same for composite alarms."""
    found = read_template(through_json({"Resources": {"X": alarm_resource(alarm)}}))
    assert (found.problems, found.composites) == ((), (alarm,))


@given(metric_filters())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_filter_to_template_to_filter_is_the_identity(metric_filter: MetricFilter) -> None:
    """The same for metric filters."""
    resource = {"Type": "AWS::Logs::MetricFilter", "Properties": metric_filter_properties(metric_filter)}
    found = read_template(through_json({"Resources": {"X": resource}}))
    assert (found.problems, found.metric_filters) == ((), (metric_filter,))


@given(metric_alarms(), composite_alarms())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_an_api_answer_reads_like_a_template(alarm: MetricAlarm, composite: CompositeAlarm) -> None:
    """DescribeAlarms spells alarms like CloudFormation, so the answer gives the same values."""
    answer = {"MetricAlarms": [alarm_properties(alarm)], "CompositeAlarms": [alarm_properties(composite)]}
    found = read_describe_alarms(through_json(answer))
    assert (found.problems, found.alarms, found.composites) == ((), (alarm,), (composite,))


def test_a_log_group_is_its_name_whatever_protects_it() -> None:
    """A key that is made in the same template is known after deployment only, and does not matter to a filter."""
    group = {"LogGroupName": "/calls", "KmsKeyId": {"Fn::GetAtt": ["Key", "Arn"]}}
    resources = {"Key": {"Type": "AWS::KMS::Key"}, "G": {"Type": "AWS::Logs::LogGroup", "Properties": group}}
    found = read_template({"Resources": resources})
    assert (found.log_groups, found.problems) == (("/calls",), ())


def test_dashboards_and_log_groups_are_found() -> None:
    """Bodies stay text; nameless ones are called by their logical id."""
    found = read_template(
        {
            "Resources": {
                "D": {
                    "Type": "AWS::CloudWatch::Dashboard",
                    "Properties": dashboard_properties("page", '{"widgets":[]}'),
                },
                "E": {
                    "Type": "AWS::CloudWatch::Dashboard",
                    "Properties": {"DashboardBody": {"Fn::Join": ["", ['{"a":"', {"Ref": "G"}, '"}']]}},
                },
                "G": {"Type": "AWS::Logs::LogGroup"},
            }
        }
    )
    assert [(one.name, one.body) for one in found.dashboards] == [("page", '{"widgets":[]}'), ("E", '{"a":"G"}')]
    assert found.log_groups == ("G",)
    assert found.source_names == {"D": "page", "E": "E", "G": "G"}
    assert found.problems == ()


def test_an_alarm_without_a_name_takes_its_logical_id() -> None:
    """CloudFormation would invent a name; offline the logical id stands for it."""
    properties = {key: value for key, value in PLAIN.items() if key != "AlarmName"}
    assert read_template(template(properties)).alarms[0].name == "X"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"Ref": "P"}, "from-default", id="parameter default"),
        pytest.param({"Ref": "Given"}, "given", id="parameter given"),
        pytest.param({"Ref": "AWS::Region"}, "eu-west-1", id="pseudo parameter"),
        pytest.param({"Fn::Sub": "${P}-${AWS::AccountId}-${!P}"}, "from-default-444455556666-${P}", id="Sub"),
        pytest.param({"Fn::Sub": ["${a}${a}${T}", {"a": {"Ref": "P"}}]}, "from-default" * 2 + TOPIC, id="Sub with map"),
        pytest.param({"Fn::Sub": "${T.TopicName}"}, "pages", id="Sub of an attribute"),
        pytest.param({"Fn::Join": ["/", ["a", {"Ref": "AWS::NoValue"}, "b"]]}, "a/b", id="Join drops NoValue"),
        pytest.param({"Fn::Select": [1, {"Fn::Split": ["-", {"Ref": "P"}]}]}, "default", id="Select of Split"),
        pytest.param({"Fn::Select": ["1", {"Ref": "List"}]}, "two", id="Select of a list parameter"),
        pytest.param({"Fn::If": ["Yes", "y", "n"]}, "y", id="If true"),
        pytest.param({"Fn::If": ["No", "y", "n"]}, "n", id="If false"),
        pytest.param({"Fn::FindInMap": ["M", {"Ref": "AWS::Region"}, "k"]}, "mapped", id="FindInMap"),
        pytest.param({"Fn::FindInMap": ["M", "z", "k", {"DefaultValue": "d"}]}, "d", id="FindInMap default"),
        pytest.param(
            {"Fn::GetAtt": ["A", "Arn"]}, "arn:aws:cloudwatch:eu-west-1:444455556666:alarm:other", id="GetAtt"
        ),
        pytest.param({"Fn::GetAtt": "T.TopicArn"}, "arn:aws:sns:eu-west-1:444455556666:pages", id="GetAtt as text"),
        pytest.param({"Ref": "A"}, "other", id="Ref of an alarm"),
        pytest.param({"Ref": "Nameless"}, "arn:aws:sns:eu-west-1:444455556666:Nameless", id="Ref of a nameless topic"),
        pytest.param({"Fn::ToJsonString": {"a": [{"Ref": "P"}]}}, '{"a":["from-default"]}', id="ToJsonString"),
    ],
)
def test_functions_are_resolved(value: Any, expected: str) -> None:
    """Each function gives what a deployment would give."""
    document = template(
        {**PLAIN, "AlarmDescription": value},
        Parameters={
            "P": {"Type": "String", "Default": "from-default"},
            "Given": {"Type": "String"},
            "List": {"Type": "CommaDelimitedList", "Default": "one, two"},
        },
        Conditions={
            "Yes": {"Fn::And": [{"Fn::Equals": [{"Ref": "P"}, "from-default"]}, {"Fn::Not": [{"Condition": "No"}]}]},
            "No": {"Fn::Or": [{"Fn::Equals": ["a", "b"]}, {"Fn::Equals": ["c", "d"]}]},
        },
        Mappings={"M": {"eu-west-1": {"k": "mapped"}}},
    )
    document["Resources"] |= {
        "T": {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": "pages"}},
        "Nameless": {"Type": "AWS::SNS::Topic"},
        "A": {"Type": "AWS::CloudWatch::Alarm", "Properties": {**PLAIN, "AlarmName": "other"}},
    }
    found = read_template(document, parameters={"Given": "given"}, region="eu-west-1", account_id="444455556666")
    assert found.problems == ()
    assert found.alarms[0].description == expected


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"Fn::ImportValue": "x"}, "another stack"),
        ({"Ref": "Nobody"}, "neither a parameter nor a resource"),
        ({"Ref": "NoDefault"}, "parameter NoDefault has no value"),
        ({"Ref": "FromStore"}, "parameter FromStore has no value"),
        ({"Fn::GetAtt": ["Other", "Secret"]}, "only after deployment"),
        ("{{resolve:ssm:threshold}}", "looked up at deployment"),
        ({"Fn::Select": [3, ["a"]]}, "entry 3 of 1"),
        ({"Fn::Select": [float("inf"), ["a"]]}, "not a whole number"),
        ({"Fn::If": ["Missing", 1, 2]}, "condition Missing is not declared"),
        ({"Fn::If": ["Loop", 1, 2]}, "refers to itself"),
        ({"Fn::Join": "x"}, "takes a list of 2"),
    ],
)
def test_what_cannot_be_resolved_is_one_problem_and_the_rest_is_read(value: Any, says: str) -> None:
    """The problem names resource and property; other alarms of the template are there."""
    document = template(
        {**PLAIN, "Threshold": value},
        Parameters={
            "NoDefault": {"Type": "Number"},
            "FromStore": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/path"},
        },
        Conditions={"Loop": {"Fn::Not": [{"Condition": "Loop"}]}},
    )
    document["Resources"]["Other"] = {"Type": "AWS::CloudWatch::Alarm", "Properties": {**PLAIN, "AlarmName": "b"}}
    found = read_template(document, file="t.json")
    (problem,) = found.problems
    assert problem.place.path == "/Resources/X/Properties/Threshold"
    assert problem.place.file == "t.json"
    assert says in problem.message
    assert [alarm.name for alarm in found.alarms] == ["b"]


def test_an_unresolved_action_keeps_the_alarm() -> None:
    """An imported topic does not hide the alarm: a stand-in says that there is an action."""
    found = read_template(template({**PLAIN, "AlarmActions": [{"Fn::ImportValue": "topic"}]}))
    (problem,) = found.problems
    assert problem.severity is ProblemSeverity.WARNING
    assert problem.place.path == "/Resources/X/Properties/AlarmActions/0"
    assert found.alarms[0].alarm_actions == (f"{UNRESOLVED_PREFIX}/Resources/X/Properties/AlarmActions/0",)


@pytest.mark.parametrize("kind", [[], {"Ref": "Kind"}, 3])
def test_a_type_that_is_no_text_is_a_problem_of_the_resource(kind: Any) -> None:
    """A list for a type, as a slip of YAML gives, is named with its place; what stands beside it is read."""
    found = read_template({"Resources": {"X": {"Type": kind}, **template(PLAIN)["Resources"], "Y": {"Type": kind}}})
    assert [str(problem.place.path) for problem in found.problems] == ["/Resources/Y/Type"]
    assert [alarm.name for alarm in found.alarms] == ["a"]


def test_a_resource_whose_condition_is_false_does_not_exist() -> None:
    """Conditions of resources decide before their properties are read."""
    document = template({"AlarmName": {"Ref": "Nobody"}}, Conditions={"Prod": {"Fn::Equals": ["a", "b"]}})
    document["Resources"]["X"]["Condition"] = "Prod"
    found = read_template(document)
    assert (found.alarms, found.problems) == ((), ())


@pytest.mark.parametrize(
    ("change", "path", "hint"),
    [
        ({"ComparisonOperator": "GreaterThanTreshold"}, "ComparisonOperator", "GreaterThanThreshold"),
        ({"TreatMissingData": "notbreaching"}, "TreatMissingData", "notBreaching"),
        ({"DatapointsToAlarm": 4}, "DatapointsToAlarm", "EvaluationPeriods"),
        ({"Period": 45}, "Period", "60"),
        ({"Period": "soon"}, "Period", ""),
        ({"EvaluationPeriods": 2000}, "EvaluationPeriods", "Shorten"),
        ({"Statistic": "p90"}, "Statistic", "ExtendedStatistic"),
        ({"Statistic": "average"}, "Statistic", "Average"),
        ({"Statistic": None, "ExtendedStatistic": "p101"}, "ExtendedStatistic", "p100"),
        ({"Threshold": None}, "Threshold", "Give Threshold"),
        ({"Namespace": None}, "Namespace", "Add Namespace"),
        ({"AlarmActions": ["x"] * 6}, "AlarmActions", "topic"),
        ({"Dimensions": [{"Name": "a", "Value": ""}]}, "Dimensions", "none empty"),
        ({"Dimensions": [{"Nme": "a", "Value": "b"}]}, "Dimensions/0/Name", "Add Name"),
        ({"Metrics": []}, "MetricName", "Remove"),
        ({"AlarmDescription": "x" * 1025}, "AlarmDescription", "Shorten"),
    ],
)
def test_what_cloudwatch_would_refuse_is_a_problem_with_a_hint(change: dict[str, Any], path: str, hint: str) -> None:
    """One broken property of a good alarm: the problem stands at that property."""
    properties = {key: value for key, value in {**PLAIN, **change}.items() if value is not None}
    found = read_template(template(properties))
    assert found.alarms == ()
    first: Problem = found.problems[0]
    assert first.place.path.removeprefix("/Resources/X/Properties/") == path
    assert hint in first.hint


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"EvaluationCriteria": {"PromQLCriteria": {"Query": "up == 0"}}}, "EvaluationCriteria"),
        ({"Metrics": [{"Id": "q", "Expression": "SELECT MAX(x) FROM y", "Period": 60}]}, "Metrics"),
    ],
)
def test_other_kinds_of_alarms_are_named_and_left_out(change: dict[str, Any], path: str) -> None:
    """PromQL and Metrics Insights alarms are legal and no metric alarms: a warning, not an error."""
    shared = ("AlarmName", "EvaluationPeriods", "ComparisonOperator", "Threshold")
    found = read_template(template({**{key: PLAIN[key] for key in shared}, **change}))
    assert found.alarms == ()
    (problem,) = found.problems
    assert (problem.severity, problem.place.path) == (ProblemSeverity.WARNING, f"/Resources/X/Properties/{path}")


def test_a_misspelt_property_is_pointed_out() -> None:
    """A property that CloudFormation does not know is a warning with the likely name; the alarm is read."""
    found = read_template(template({**PLAIN, "TreatMisingData": "breaching"}))
    assert len(found.alarms) == 1
    assert found.problems[0].hint == "Did you mean TreatMissingData?"


def test_numbers_and_booleans_as_text_are_read() -> None:
    """CloudFormation takes "3" for 3 and "false" for false, as parameters are text."""
    (alarm,) = read_template(template({**PLAIN, "EvaluationPeriods": "3", "ActionsEnabled": "false"})).alarms
    assert (alarm.evaluation_periods, alarm.actions_enabled) == (3, False)


def test_two_alarms_of_one_name_are_a_problem() -> None:
    """The second resource of a name is refused at deployment."""
    document = template(PLAIN)
    document["Resources"]["Y"] = document["Resources"]["X"]
    found = read_template(document)
    assert [problem.code for problem in found.problems] == ["duplicate-name"]
    assert len(found.alarms) == 1


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"Resources": []},
        {"Resources": {"X": 1}},
        {"Resources": {"X": {"Type": "AWS::CloudWatch::Alarm", "Properties": 5}}},
    ],
)
def test_what_is_no_template_is_a_problem(document: Any) -> None:
    """Any JSON may come in; the answer is a problem, never an exception."""
    assert len(read_template(document).problems) == 1


def test_deep_nesting_is_a_problem() -> None:
    """A function nested beyond any sense is refused instead of exhausting the stack."""
    value: Any = "x"
    for _ in range(300):
        value = {"Fn::Join": ["", [value]]}
    found = read_template(template({**PLAIN, "AlarmDescription": value}))
    assert "nested deeper" in found.problems[0].message


def test_a_rule_that_cannot_be_parsed_is_a_problem() -> None:
    """A composite with a broken rule is refused where the rule stands."""
    resource = {"Type": "AWS::CloudWatch::CompositeAlarm", "Properties": {"AlarmName": "c", "AlarmRule": "ALARM("}}
    found = read_template({"Resources": {"C": resource}})
    assert found.composites == ()
    assert found.problems[0].place.path == "/Resources/C/Properties/AlarmRule"


@pytest.mark.parametrize(
    ("pattern", "value", "place"),
    [
        ("{ $.a = ", "1", "FilterPattern"),
        ("ERROR", "$.a", "MetricTransformations"),
        ("{ $.a = 1 }", "one", "MetricTransformations"),
    ],
)
def test_a_filter_that_would_be_refused_is_a_problem(pattern: str, value: str, place: str) -> None:
    """The syntax of the pattern and the fields it gives are checked where they stand."""
    good = MetricFilter(name="f", log_group="g", pattern="", namespace="N", metric="M")
    properties = metric_filter_properties(good)
    properties["FilterPattern"] = pattern
    properties["MetricTransformations"][0]["MetricValue"] = value
    found = read_template({"Resources": {"F": {"Type": "AWS::Logs::MetricFilter", "Properties": properties}}})
    assert found.metric_filters == ()
    assert found.problems[0].place.path == f"/Resources/F/Properties/{place}"


def test_metric_filters_of_the_logs_api() -> None:
    """DescribeMetricFilters spells fields in lower case and dimensions as an object."""
    found = read_describe_alarms(
        {
            "metricFilters": [
                {
                    "filterName": "f",
                    "filterPattern": "{ $.a = * }",
                    "logGroupName": "g",
                    "creationTime": 1,
                    "metricTransformations": [
                        {"metricName": "M", "metricNamespace": "N", "metricValue": "$.a", "dimensions": {"D": "$.d"}}
                    ],
                },
                {"filterName": "none", "filterPattern": "", "logGroupName": "g", "metricTransformations": []},
            ]
        }
    )
    assert found.metric_filters == (
        MetricFilter(
            name="f",
            log_group="g",
            pattern="{ $.a = * }",
            namespace="N",
            metric="M",
            value="$.a",
            dimensions=(("D", "$.d"),),
        ),
    )
    assert found.problems[0].place.path == "/metricFilters/1/metricTransformations"


@pytest.mark.parametrize("document", [None, [], {}, "x"])
def test_what_is_no_answer_is_a_problem(document: Any) -> None:
    """Other JSON is refused with the commands that print the right one."""
    (problem,) = read_describe_alarms(document).problems
    assert "describe-alarms" in problem.hint


_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.floats(),
    st.sampled_from(["X", "P", "AWS::NoValue", "AWS::Region", "Sum", "{{resolve:x}}", "${P}", "${X.Arn}", "a", ""]),
)
_KEYS = st.sampled_from(
    [*PLAIN, "Metrics", "Dimensions", "MetricStat", "Id", "Name", "Value", "Tags", "FilterPattern", "EvaluationWindow"]
)
_FUNCTIONS = st.sampled_from(
    ["Ref", "Condition"]
    + [f"Fn::{name}" for name in ("Sub", "Join", "Select", "Split", "If", "FindInMap", "GetAtt", "Length", "Base64")]
    + ["Fn::ToJsonString", "Fn::Equals", "Fn::Not", "Fn::And", "Fn::Cidr", "Fn::Transform"]
)


def _deeper(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    calls = st.tuples(_FUNCTIONS, inner).map(lambda pair: {pair[0]: pair[1]})
    return st.one_of(st.lists(inner, max_size=4), st.dictionaries(_KEYS, inner, max_size=4), calls)


_ANYTHING = st.recursive(_LEAVES, _deeper, max_leaves=12)
_TYPES = ["AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm", "AWS::CloudWatch::Dashboard"]


@given(
    kind=st.sampled_from([*_TYPES, "AWS::Logs::MetricFilter", "AWS::Logs::LogGroup"]),
    changes=st.dictionaries(_KEYS, _ANYTHING, max_size=5),
    condition=_ANYTHING,
    parameter=_ANYTHING,
)
@example(
    kind=_TYPES[0],
    changes={"AlarmName": {"Fn::ToJsonString": {"Ref": "AWS::NoValue"}}},
    condition={"Fn::Equals": ["a", "a"]},
    parameter=None,
)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_no_template_raises(kind: str, changes: dict[str, Any], condition: Any, parameter: Any) -> None:
    """Whatever stands in a template, the reader answers with values and problems that have a place."""
    found = read_template(
        {
            "Parameters": {"P": {"Type": "String", "Default": parameter}},
            "Conditions": {"a": condition},
            "Resources": {"X": {"Type": kind, "Condition": "a", "Properties": {**PLAIN, **changes}}},
        }
    )
    assert all(problem.place.path for problem in found.problems)
    answer = read_describe_alarms({"MetricAlarms": [{**PLAIN, **changes}], "metricFilters": [changes, parameter]})
    assert all(problem.place.path for problem in answer.problems)
