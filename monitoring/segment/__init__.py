"""Our alarms and widgets inside the dashboards of a `cdk_monitoring_constructs.MonitoringFacade`."""
