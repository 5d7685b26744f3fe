"use strict";
// A template element that is already rendered. The CDK merges it into the template of its stack like any other element, and
// refuses a logical id that exists twice. construct.py is the Python side, jsii.json describes this class to jsii.
const { CfnElement } = require("aws-cdk-lib");

class RawResources extends CfnElement {
  constructor(scope, id, resources) {
    super(scope, id);
    this.fragment = { Resources: JSON.parse(resources) };
  }

  _toCloudFormation() {
    return this.fragment;
  }
}

exports.RawResources = RawResources;
