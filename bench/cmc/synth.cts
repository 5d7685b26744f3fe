// The same monitoring with cdk-monitoring-constructs, written as its users write it: one segment a model, alarms through the
// alarm factory, widgets of the CDK. Reads a specification (see bench/synth.py) and writes a cloud assembly.
//
//   node synth.cts SPECIFICATION OUTDIR

const fs: typeof import("fs") = require("fs");
const cdk = require("aws-cdk-lib");
const cw = require("aws-cdk-lib/aws-cloudwatch");
const cmc = require("cdk-monitoring-constructs");

type Query = {
  id: string; expression?: string; namespace?: string; name?: string;
  dimensions?: Record<string, string>; stat?: string; period_s?: number; label?: string;
};
type AlarmSpec = {
  slug: string; description: string; queries: Query[]; returned: string; comparison: string; threshold: number;
  n: number; m: number; missing: string; cause: boolean;
};
type CompositeSpec = { slug: string; description: string; children: string[]; cause: boolean };
type WidgetSpec = { title: string; width: number; height: number; queries: Query[]; shown: string[]; text: string };
type ModelSpec = { key: string; alarms: AlarmSpec[]; composites: CompositeSpec[]; widgets: WidgetSpec[]; topic: string };

class ModelMonitoring extends cmc.Monitoring {
  private readonly spec: ModelSpec;
  private readonly metricFactory: any;

  constructor(scope: any, spec: ModelSpec) {
    super(scope, { alarmFriendlyName: spec.key });
    this.spec = spec;
    this.metricFactory = this.createMetricFactory();
    const factory = this.createAlarmFactory(spec.key);
    const made: Record<string, any> = {};
    for (const alarm of spec.alarms) {
      made[alarm.slug] = factory.addAlarm(this.metric(alarm.queries, alarm.returned), {
        alarmNameSuffix: alarm.slug,
        alarmDescription: alarm.description,
        threshold: alarm.threshold,
        comparisonOperator: alarm.comparison,
        evaluationPeriods: alarm.n,
        datapointsToAlarm: alarm.m,
        treatMissingData: alarm.missing,
        actionOverride: alarm.cause ? undefined : cmc.noopAction(),
      });
      this.addAlarm(made[alarm.slug]);
    }
    for (const composite of spec.composites) {
      factory.addCompositeAlarm(composite.children.map((slug) => made[slug]), {
        disambiguator: composite.slug,
        alarmDescription: composite.description,
        actionOverride: composite.cause ? undefined : cmc.noopAction(),
      });
    }
  }

  widgets(): any[] {
    return this.spec.widgets.map((widget) =>
      widget.shown.length === 0
        ? new cw.TextWidget({ markdown: widget.text, width: widget.width, height: widget.height })
        : new cw.GraphWidget({
            title: widget.title,
            width: widget.width,
            height: widget.height,
            left: widget.shown.map((id) => this.metric(widget.queries, id)),
          }),
    );
  }

  private plain(query: Query): any {
    return this.metricFactory.createMetric(
      query.name,
      query.stat,
      query.label,
      query.dimensions,
      undefined,
      query.namespace,
      cdk.Duration.seconds(query.period_s ?? 300),
    );
  }

  private metric(queries: Query[], id: string): any {
    const wanted = queries.find((query) => query.id === id)!;
    if (wanted.expression === undefined) return this.plain(wanted);
    const words = new Set(wanted.expression.split(/[^A-Za-z0-9_]+/));
    const inputs: Record<string, any> = {};
    for (const query of queries) {
      if (query.id !== id && words.has(query.id)) inputs[query.id] = this.metric(queries, query.id);
    }
    const period = cdk.Duration.seconds(queries.find((query) => query.period_s)?.period_s ?? 300);
    return this.metricFactory.createMetricMath(wanted.expression, inputs, wanted.label ?? id, undefined, period);
  }
}

const [specification, outdir] = process.argv.slice(2);
const models: ModelSpec[] = JSON.parse(fs.readFileSync(specification, "utf8"));
const app = new cdk.App({ outdir, analyticsReporting: false, stackTraces: false, treeMetadata: false });
for (const spec of models) {
  const stack = new cdk.Stack(app, spec.key, { env: { account: "111122223333", region: "us-east-1" } });
  const topic = require("aws-cdk-lib/aws-sns").Topic.fromTopicArn(stack, "Topic", spec.topic);
  const facade = new cmc.MonitoringFacade(stack, "Monitoring", {
    alarmFactoryDefaults: {
      alarmNamePrefix: "llm",
      actionsEnabled: true,
      action: new cmc.SnsAlarmActionStrategy({ onAlarmTopic: topic, onOkTopic: topic }),
    },
    dashboardFactory: new cmc.DefaultDashboardFactory(stack, "Dashboards", {
      dashboardNamePrefix: `llm-${spec.key}`,
      createSummaryDashboard: false,
      createAlarmDashboard: false,
    }),
  });
  facade.addSegment(new ModelMonitoring(facade, spec));
}
app.synth();
