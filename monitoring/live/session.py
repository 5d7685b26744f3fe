"""How do we talk to AWS, and what do we say when it does not answer?

One connection: profile, Region, optional role; clients with adaptive retries and short timeouts. Every failure of the SDK
becomes one `Problem` that says what was being done, what AWS said and what to do.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any

import boto3
import botocore.exceptions as sdk
from botocore.config import Config
from botocore.parsers import ResponseParserError

from cloudwatch.problems import Place, Problem, ProblemSeverity

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["AwsError", "Connection", "doing", "is_denied", "problem_for", "warning_for"]

DENIED_CODES = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "UnauthorizedOperation",
        "AuthorizationError",
        "AuthorizationErrorException",
    }
)
EXPIRED_CODES = frozenset({"ExpiredToken", "ExpiredTokenException", "RequestExpired", "InvalidClientTokenId"})
THROTTLED_CODES = frozenset({"Throttling", "ThrottlingException", "TooManyRequestsException", "RequestLimitExceeded"})
CUT_CODE = "RequestTimeout"  # one that the SDK tries again
CUT = "the answer was cut off"
CLOCK_CODES = frozenset({"RequestTimeTooSkewed", "SignatureDoesNotMatch", "InvalidSignatureException"})

SIGN_IN = "Sign in again (for example `aws sso login --profile NAME`) and name the profile with --profile."


class AwsError(Exception):
    """A call that AWS did not answer as hoped.

    Args:
        problem: What was being done, what AWS said, what to do.
        denied: Whether permission was missing, so that only the part that needs it is lost.
    """

    def __init__(self, problem: Problem, *, denied: bool = False) -> None:
        self.problem = problem
        self.denied = denied
        super().__init__(str(problem))


@dataclass(frozen=True, kw_only=True)
class Connection:
    """Where and as whom we ask.

    Attributes:
        region: Region, or None for the profile's own.
        profile: Name of a profile of the AWS configuration, or None for the default chain.
        role_arn: Role to assume, or None.
    """

    region: str | None = None
    profile: str | None = None
    role_arn: str | None = None

    @cached_property
    def _session(self) -> boto3.Session:
        with doing("Reading the AWS configuration"):
            session = boto3.Session(profile_name=self.profile, region_name=self.region)
        if self.role_arn is None:
            return session
        with doing(f"Assuming {self.role_arn}"):
            answer = session.client("sts", config=_config()).assume_role(
                RoleArn=self.role_arn, RoleSessionName="bedrock-monitor"
            )
        credentials = answer["Credentials"]
        return boto3.Session(
            aws_access_key_id=credentials["AccessKeyId"],
            aws_secret_access_key=credentials["SecretAccessKey"],
            aws_session_token=credentials["SessionToken"],
            region_name=self.region or session.region_name,
        )

    @cached_property
    def _clients(self) -> dict[tuple[str, str | None], Any]:
        return {}  # a client may be shared by threads, a session may not

    @cached_property
    def _lock(self) -> RLock:
        return RLock()

    def client(self, service: str, *, region: str | None = None) -> Any:
        """Return the client of a service, made once; safe to call from several threads after the first call.

        Raises:
            AwsError: No Region or no credentials.
        """
        with self._lock, doing(f"Connecting to {service}"):
            if (service, region) in self._clients:
                return self._clients[service, region]
            made = self._session.client(service, region_name=region, config=_config())  # type: ignore[call-overload]
            made.meta.events.register("before-parse", _retry_cut_answer)
            made.meta.events.register("after-call", _refuse_cut_answer)
            self._clients[service, region] = made
            return made

    @cached_property
    def account_id(self) -> str:
        """Account that the credentials belong to.

        Raises:
            AwsError: AWS did not accept the credentials.
        """
        with doing("Asking AWS who we are (sts:GetCallerIdentity)"):
            return str(self.client("sts").get_caller_identity()["Account"])

    def pages(self, service: str, operation: str, *, region: str | None = None, **parameters: object) -> Iterator[Any]:
        """Yield the pages of a paginated operation.

        Raises:
            AwsError: A page could not be had; the pages before it have been yielded.
        """
        client = self.client(service, region=region)
        with doing(f"{service}:{_camel(operation)}"):
            yield from client.get_paginator(operation).paginate(**parameters)


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Turn every failure of the SDK inside the block into an `AwsError` that begins with `what`."""
    try:
        yield
    except (sdk.BotoCoreError, sdk.ClientError, ResponseParserError, UnicodeDecodeError) as error:
        raise AwsError(problem_for(error, what=what), denied=is_denied(error)) from error


def is_denied(error: Exception) -> bool:
    """Tell whether AWS refused for want of permission."""
    return isinstance(error, sdk.ClientError) and _code(error) in DENIED_CODES


def problem_for(error: Exception, *, what: str) -> Problem:
    """Return one clear problem for a failure of the SDK."""
    code, said, hint = "aws-error", str(error), ""
    if isinstance(error, sdk.ClientError):
        said = f"{_code(error)}: {error.response.get('Error', {}).get('Message') or 'no message'}"
        code, hint = _explain(_code(error))
    elif isinstance(error, sdk.NoCredentialsError | sdk.PartialCredentialsError | sdk.CredentialRetrievalError):
        code, hint = "aws-no-credentials", SIGN_IN
    elif isinstance(error, sdk.TokenRetrievalError | sdk.SSOTokenLoadError | sdk.UnauthorizedSSOTokenError):
        code, hint = "aws-expired", SIGN_IN
    elif isinstance(error, sdk.ProfileNotFound):
        code, hint = "aws-profile", "List the profiles with `aws configure list-profiles`."
    elif isinstance(error, sdk.NoRegionError):
        code, said, hint = "aws-region", "no Region is set", "Name one with --region."
    elif isinstance(error, ResponseParserError | UnicodeDecodeError):
        code, said, hint = "aws-garbled", "the answer was cut off or is not of AWS", "Check the network and the proxy."
    elif isinstance(error, sdk.EndpointConnectionError | sdk.ConnectTimeoutError | sdk.ReadTimeoutError):
        code, hint = "aws-unreachable", "Check the network, the proxy and the Region name."
    return Problem(code=code, message=f"{what} failed: {' '.join(said.split())[:400]}", hint=hint, place=Place())


def warning_for(error: AwsError, *, lost: str) -> Problem:
    """Return the problem of a failed call as a warning that says which part of the answer is lost."""
    found = error.problem
    return Problem(
        code=found.code,
        severity=ProblemSeverity.WARNING,
        message=f"{lost} is not in this answer. {found.message}",
        hint=found.hint,
    )


def _explain(code: str) -> tuple[str, str]:
    if code in DENIED_CODES:
        return "aws-denied", "The IAM policy that each command needs is in docs/iam.md."
    if code in EXPIRED_CODES:
        return "aws-expired", SIGN_IN
    if code in THROTTLED_CODES:
        return "aws-throttled", "AWS kept throttling after all retries; run it again in a minute."
    if code in CLOCK_CODES:
        return "aws-clock", "Check that the clock of this machine is right."
    if code == CUT_CODE:
        return "aws-garbled", "Check the network and the proxy."
    return "aws-error", ""


def _retry_cut_answer(*, operation_model: Any, response_dict: dict[str, Any], **_: object) -> None:
    """Turn an answer that was cut off into one that the SDK asks for again.

    The SDK reads half a JSON text as an empty answer: an account without alarms, a metric without points.
    """
    body = response_dict.get("body")
    if not isinstance(body, bytes) or response_dict.get("status_code") != 200:
        return
    headers = response_dict["headers"]
    length = headers.get("Content-Length")
    whole = length is None or headers.get("Content-Encoding") or int(length) == len(body)
    protocol = operation_model.service_model.resolved_protocol
    if whole and (not protocol.endswith("json") or not body or body.rstrip().endswith((b"}", b"]"))):
        return
    if protocol.endswith("json"):
        text = f'{{"__type":"{CUT_CODE}","message":"{CUT}"}}'
    elif protocol == "query":
        text = f"<ErrorResponse><Error><Code>{CUT_CODE}</Code><Message>{CUT}</Message></Error></ErrorResponse>"
    else:
        raise ResponseParserError(CUT)
    response_dict["status_code"], response_dict["body"] = 503, text.encode()


def _refuse_cut_answer(*, parsed: dict[str, Any], model: Any, **_: object) -> None:
    if parsed.get("Error", {}).get("Code") == CUT_CODE:
        raise sdk.ClientError(parsed, model.name)  # type: ignore[arg-type]


def _code(error: sdk.ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", "Unknown"))


def _camel(operation: str) -> str:
    return "".join(word.title() for word in operation.split("_"))


def _config() -> Config:
    return Config(
        retries={"mode": "adaptive", "max_attempts": 8},
        connect_timeout=5,
        read_timeout=30,
        user_agent_extra="bedrock-monitor",
    )
