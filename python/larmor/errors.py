"""Exceptions of Larmor. Every message is one line: what was found, what was expected, what to do."""


class LarmorError(Exception):
    """Any error that the library reports."""

    def __str__(self) -> str:
        return " ".join(super().__str__().split())  # arrays that a message quotes have several lines


class UsageError(LarmorError, ValueError):
    """An invalid argument or option."""


class InputError(LarmorError, ValueError):
    """A file or data that cannot be used."""


class ResourceError(LarmorError, MemoryError):
    """Not enough memory, a full disk, or a missing device."""


class InternalError(LarmorError, RuntimeError):
    """A bug in Larmor."""


class LarmorWarning(UserWarning):
    """A problem that the user should check; the computation continues."""
