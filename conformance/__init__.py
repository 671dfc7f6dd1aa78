"""Conformance: whether the calls that the presets know are still in the SDKs, and take what the presets say.

The wheels that a preset names are downloaded and read, never imported or run. See the README's part on development.
"""
