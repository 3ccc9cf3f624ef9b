"""Threadbare on a Ray cluster: schedules what `threadbare work` explores and `threadbare merge` adds up."""
