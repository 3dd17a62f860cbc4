"""One line for each claim that was checked, and the errors that a claim expects."""

from botocore.exceptions import ClientError


class Broken(Exception):
    """A claim that does not hold."""


def holds(claim, condition, *seen):
    """Says that the claim holds, or stops the recipe."""
    if not condition:
        raise Broken(f"{claim}; seen: {', '.join(repr(thing) for thing in seen)}")
    print(f"ok      {claim}", flush=True)


def equal(claim, found, expected):
    """Says that two things are the same."""
    holds(claim, found == expected, found, expected)


def refused(claim, code, call, **arguments):
    """Says that the call fails with this code, and returns the error."""
    try:
        answer = call(**arguments)
    except ClientError as error:
        equal(claim, error.response["Error"]["Code"], code)
        return error
    raise Broken(f"{claim}; it was accepted: {answer!r}")
