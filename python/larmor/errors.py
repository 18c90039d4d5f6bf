"""What Larmor raises. Every message is one line: what was found, what was expected, what to do."""


class LarmorError(Exception):
    """Any failure that the library reports."""


class UsageError(LarmorError, ValueError):
    """An argument or option that is wrong."""


class InputError(LarmorError, ValueError):
    """A file or data that cannot be used."""


class ResourceError(LarmorError, MemoryError):
    """Not enough memory, a full disk, or a device that is not there."""


class InternalError(LarmorError, RuntimeError):
    """A bug in Larmor."""


class LarmorWarning(UserWarning):
    """Something to look at; the work goes on."""
