"""Finished resources for the CDK in one call: a few lines of JavaScript, their description for jsii, and the Python side."""
