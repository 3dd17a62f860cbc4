//! Alarms: what a figure may be, for how long, and what it means that there is none.

mod archive;
mod function;
mod queue;
mod table;

pub use archive::archive;
pub use function::{cache, function, limits, regeneration};
pub use queue::dead_letters;
pub use table::{table, user_errors};

use crate::error::Error;
use crate::intrinsic::{attribute, is_given, reference, when};
use crate::node::{Map, Node};
use crate::resource::Resource;
use crate::template::Template;

/// The parameter with the topic that alarms are told to.
const TOPIC: &str = "AlarmTopicArn";
const HAS_TOPIC: &str = "HasAlarmTopic";

/// What it means that a figure is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Nothing happened, which is fine: most figures are told only when there is something to tell.
    Fine,
    /// Nothing happened, and something should have.
    Alarming,
}

/// How the figures of a period become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// Their sum.
    Sum,
    /// Their mean.
    Average,
    /// The greatest.
    Maximum,
}

/// An alarm.
///
/// ```
/// use theory_synth::{Alarm, Statistic, Template};
///
/// let mut template = Template::new("An alarm.");
/// let alarm = Alarm::new("Slow", "AWS/Lambda", "Duration", "Answers take long.").statistic(Statistic::Average);
/// alarm.above(1000).add_to(&mut template)?;
/// assert!(template.to_yaml()?.contains("AlarmTopicArn"), "who is told is asked for when it is deployed");
/// # Ok::<(), theory_synth::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    id: String,
    description: String,
    namespace: &'static str,
    metric: &'static str,
    dimensions: Vec<(&'static str, Node)>,
    statistic: Statistic,
    period_seconds: u32,
    periods: u32,
    is_below: bool,
    threshold: i64,
    missing: Missing,
    is_silent: bool,
}

impl Alarm {
    /// An alarm that rings when a figure, summed over five minutes, is above 0.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        namespace: &'static str,
        metric: &'static str,
        description: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            description: description.into(),
            namespace,
            metric,
            dimensions: Vec::new(),
            statistic: Statistic::Sum,
            period_seconds: 300,
            periods: 1,
            is_below: false,
            threshold: 0,
            missing: Missing::Fine,
            is_silent: false,
        }
    }

    /// Of this thing.
    #[must_use]
    pub fn of(mut self, dimension: &'static str, value: impl Into<Node>) -> Self {
        self.dimensions.push((dimension, value.into()));
        self
    }

    /// With another statistic.
    #[must_use]
    pub fn statistic(mut self, statistic: Statistic) -> Self {
        self.statistic = statistic;
        self
    }

    /// Looks at periods of so many seconds, and rings when so many in a row are bad.
    #[must_use]
    pub fn lasting(mut self, period_seconds: u32, periods: u32) -> Self {
        (self.period_seconds, self.periods) = (period_seconds, periods);
        self
    }

    /// Rings above this.
    #[must_use]
    pub fn above(mut self, threshold: i64) -> Self {
        (self.threshold, self.is_below) = (threshold, false);
        self
    }

    /// Rings at this and below, and when there is no figure at all.
    #[must_use]
    pub fn at_most(mut self, threshold: i64) -> Self {
        (self.threshold, self.is_below, self.missing) = (threshold, true, Missing::Alarming);
        self
    }

    /// Shows what it sees and tells nobody.
    #[must_use]
    pub fn silent(mut self) -> Self {
        self.is_silent = true;
        self
    }

    /// Puts it into a template, which then asks for a topic, and an output.
    ///
    /// # Errors
    /// If the logical id is none, or taken.
    pub fn add_to(&self, template: &mut Template) -> Result<(), Error> {
        let topic = Map::new()
            .with("Type", "String")
            .with("Default", "")
            .with("Description", "The topic of SNS that alarms are told to. Without one they only show.")
            .with("AllowedPattern", "^$|^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]+$");
        template.parameter(TOPIC, topic)?;
        template.condition(HAS_TOPIC, is_given(TOPIC))?;
        template.resource(&self.id, Resource::new("AWS::CloudWatch::Alarm", self.properties()))?;
        template.output(
            &format!("{}Arn", self.id),
            "The resource name of the alarm.",
            attribute(&self.id, "Arn"),
        )
    }

    fn properties(&self) -> Map {
        let dimension =
            |(name, value): &(&str, Node)| Map::new().with("Name", *name).with("Value", value.clone());
        let dimensions: Vec<Map> = self.dimensions.iter().map(dimension).collect();
        let statistic = match self.statistic {
            Statistic::Sum => "Sum",
            Statistic::Average => "Average",
            Statistic::Maximum => "Maximum",
        };
        let told = || when(HAS_TOPIC, Node::from([reference(TOPIC)]));
        let comparison = if self.is_below { "LessThanOrEqualToThreshold" } else { "GreaterThanThreshold" };
        let missing = if self.missing == Missing::Fine { "notBreaching" } else { "breaching" };
        let map = Map::new()
            .with("AlarmDescription", &self.description)
            .with("Namespace", self.namespace)
            .with("MetricName", self.metric)
            .maybe("Dimensions", (!dimensions.is_empty()).then_some(dimensions))
            .with("Statistic", statistic)
            .with("Period", self.period_seconds)
            .with("EvaluationPeriods", self.periods)
            .with("Threshold", self.threshold)
            .with("ComparisonOperator", comparison)
            .with("TreatMissingData", missing);
        if self.is_silent {
            return map.with("ActionsEnabled", false);
        }
        map.with("AlarmActions", told()).with("OKActions", told())
    }
}

/// All of them.
pub(crate) fn add_all(template: &mut Template, alarms: Vec<Alarm>) -> Result<(), Error> {
    alarms.iter().try_for_each(|alarm| alarm.add_to(template))
}
