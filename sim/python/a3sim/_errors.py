"""What goes wrong, as exceptions; their texts are those of the program."""


class Error(Exception):
    """Whatever a3sim has to complain of."""


class InputError(Error):
    """The input is at fault: a configuration, an order, what a function of an order gave."""


class RunError(Error):
    """The simulation could not end, or what was asked could not be done."""


class Interrupted(Error):
    """Python's main thread was interrupted (there: KeyboardInterrupt), which ended this thread's run too."""


class PartlyFailed(Error):
    """Some of what was asked was done."""
