//! The list of faults. The times are not of a clock: they only say what comes before what, in Local and with us.

use super::super::answer::Refusal;
use super::fault::{CONDITION, Fault, fault, long};

impl Fault {
    /// The faults that a message can tell of: some words of Local say little.
    pub(super) fn of(message: &str) -> impl Iterator<Item = &'static Self> {
        FAULTS.iter().filter(move |fault| fault.is_told_by(message))
    }

    /// The faults that a refusal can tell of, also those that stood in a transaction's way.
    pub(super) fn all(refusal: &Refusal) -> Vec<&'static Self> {
        let reasons = refusal.reasons.iter().filter_map(|reason| reason.message.as_deref());
        reasons.chain([refusal.message.as_str()]).flat_map(Self::of).collect()
    }

    /// Whether both messages can tell of the same fault.
    pub(super) fn is_same(one: &str, two: &str) -> bool {
        one == two || Self::of(one).any(|fault| Self::of(two).any(|other| fault.name == other.name))
    }
}

const FAULTS: &[Fault] = &[
    // The table. Local looks for it before it reads the request.
    fault(
        "no such table",
        0,
        40,
        &["Cannot do operations on a non-existent table", "Requested resource not found"],
    ),
    fault("no such index", 1, 40, &["The table does not have the specified index: *"]),
    // Parameters that do not go together.
    long(
        "both kinds of parameters",
        (2, 4),
        (10, 10),
        &["Can not use both expression and non-expression parameters *"],
    ),
    fault(
        "placeholders without expression",
        10,
        10,
        &["ExpressionAttribute* can only be specified when using expressions*"],
    ),
    long(
        "placeholder map",
        (3, 10),
        (10, 10),
        &[
            "ExpressionAttribute* must not be empty",
            "ExpressionAttribute* contains invalid key: *",
            "ExpressionAttributeNames contains invalid value: *",
        ],
    ),
    fault(
        "ReturnValues",
        3,
        30,
        &["Return values set to invalid value", "ReturnValues can only be ALL_OLD or NONE"],
    ),
    // A constraint, of which the service complains before anything else. Local looks at the filter of a Scan before it.
    long(
        "Limit",
        (3, 5),
        (5, 5),
        &["Limit must be greater than or equal to 1", "* at 'limit' failed to satisfy constraint*"],
    ),
    fault(
        "Segment",
        3,
        29,
        &[
            "If segment is specified, total segment must also be specified",
            "The TotalSegments parameter is required but was not present*",
        ],
    ),
    fault(
        "consistent read of a global index",
        3,
        60,
        &[
            "Consistent read cannot be true when * a GSI",
            "Consistent reads are not supported on global secondary indexes",
        ],
    ),
    long(
        "Select",
        (3, 6),
        (45, 45),
        &[
            "Cannot specify the * when choosing to get *",
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ],
    ),
    // Values that no request may carry. Local looks at those of AttributeUpdates after the condition.
    long(
        "empty value",
        (4, 8),
        (55, 55),
        &[
            "*An AttributeValue may not contain an empty string*",
            "*An AttributeValue may not contain a null or empty binary type.*",
            "*cannot contain an empty * value*",
        ],
    ),
    long(
        "not a number",
        (4, 12),
        (12, 24),
        &[
            "*A value provided cannot be converted into a number*",
            "*The parameter cannot be converted to a numeric value*",
        ],
    ),
    long(
        "number out of range",
        (4, 12),
        (12, 24),
        &[
            "*DynamoDB only supports precision up to 38 digits*",
            "*Attempting to store more than 38 significant digits in a Number*",
            "*Number underflow. Attempting to store a number with magnitude smaller than supported range*",
        ],
    ),
    long(
        "empty set",
        (4, 12),
        (12, 24),
        &["*Sets cannot be empty*", "* set  may not be empty*", "*Binary sets should not be empty*"],
    ),
    long("set with duplicates", (4, 12), (12, 24), &["*Input collection*contains duplicates*"]),
    fault("item too large", 4, 55, &["Item size has exceeded the maximum allowed size"]),
    // Parameters from before expressions.
    long("conditional operator", (5, 8), (20, 20), &["ConditionalOperator can*"]),
    fault(
        "legacy comparison",
        4,
        20,
        &[
            "*ComparisonOperator * is not valid for * AttributeValue type",
            "*Invalid number of argument(s) for the * ComparisonOperator",
            "*AttributeValues inside AttributeValueList must be of same type",
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
            "*Value * be used * Exists is *",
            "*Value or AttributeValueList must be used with ComparisonOperator*",
        ],
    ),
    long(
        "legacy action",
        (4, 12),
        (20, 20),
        &[
            "* action is not supported for the type *",
            "* action with value is not supported for the type *",
            "*Only DELETE action is allowed when no attribute value is specified",
        ],
    ),
    fault(
        "attribute named twice",
        7,
        20,
        &["Cannot have two attributes with the same name", "*Duplicate value in attribute name: *"],
    ),
    // Expressions.
    fault("syntax", 8, 25, &["Invalid *Expression: Syntax error; *"]),
    fault("reserved word", 8, 25, &["Invalid *Expression: Attribute name is a reserved keyword; *"]),
    fault(
        "redundant parentheses",
        8,
        25,
        &["Invalid *Expression: The expression has redundant parentheses;"],
    ),
    fault(
        "undefined placeholder",
        8,
        25,
        &["Invalid *Expression: An expression attribute * used in * is not defined; *"],
    ),
    fault(
        "unused placeholder",
        9,
        26,
        &["Value provided in ExpressionAttribute* unused in expressions: keys: *"],
    ),
    fault("empty expression", 8, 25, &["Invalid *Expression: The expression can not be empty;"]),
    fault(
        "function",
        8,
        25,
        &[
            "Invalid *Expression: Invalid function name; *",
            "Invalid *Expression: The function is not allowed *",
            "Invalid *Expression: Incorrect number of operands *",
            "Invalid *Expression: Operator or function requires a document path; *",
        ],
    ),
    fault(
        "section named twice",
        8,
        25,
        &["Invalid UpdateExpression: The * section can only be used once in an update expression;"],
    ),
    fault(
        "operand type",
        8,
        25,
        &["Invalid *Expression: Incorrect operand type for operator or function; *"],
    ),
    fault("attribute type name", 8, 25, &["Invalid *Expression: Invalid attribute type name found; *"]),
    fault(
        "operands not distinct",
        8,
        25,
        &["Invalid *Expression: The first operand must be distinct from *"],
    ),
    fault("bounds", 8, 25, &["Invalid *Expression: The BETWEEN operator requires *"]),
    fault("overlapping paths", 8, 25, &["Invalid *Expression: Two document paths * with each other; *"]),
    fault(
        "key condition operator",
        9,
        25,
        &[
            "Invalid operator used in KeyConditionExpression: *",
            "KeyConditionExpressions must only contain one condition per key",
            "Invalid condition in KeyConditionExpression: *",
            "KeyConditionExpressions cannot contain nested operations",
        ],
    ),
    // Local looks at the paths of a condition early, at those of an update late.
    long("nested key", (8, 13), (45, 56), &["Key attributes must be scalars; *"]),
    // Keys.
    long(
        "key condition",
        (3, 9),
        (20, 50),
        &[
            "Query condition missed key schema element*",
            "Query key condition not supported",
            "Conditions can be of length 1 or 2 only",
            "Attempted conditional constraint is not an indexable operation",
            "*Condition parameter type does not match schema type",
            "Only scalar types can be used as * Key values",
        ],
    ),
    fault(
        "filter on a key",
        5,
        52,
        &[
            "Filter Expression can only contain non-primary key attributes: *",
            "QueryFilter can only contain non-primary key attributes: *",
        ],
    ),
    fault(
        "filter beyond the index",
        6,
        53,
        &["*Secondary index * does not project one or more filter attributes: *"],
    ),
    fault("projection beyond the index", 99, 60, &["*Global secondary index * does not project *"]),
    fault(
        "starting key",
        4,
        54,
        &[
            "Exclusive Start Key must have same size as table's key schema",
            "The provided starting key *",
            "The query can return at most one row and cannot be restarted",
        ],
    ),
    long(
        "key",
        (4, 8),
        (55, 55),
        &[
            "The number of conditions on the keys is invalid",
            "The provided key element does not match the schema",
            "One of the required keys was not given a value",
            "*Missing the key * in the item",
            "*Type mismatch for key * expected: * actual: *",
            "Invalid attribute value type",
            "Type mismatch for attribute to update",
        ],
    ),
    long(
        "key too long",
        (4, 8),
        (55, 55),
        &[
            "Hash primary key values must be under 2048 bytes*",
            "*Size of hashkey has exceeded the maximum size limit*",
            "*Aggregated size of all range keys has exceeded the size limit*",
            "*Size limit exceeded",
        ],
    ),
    long(
        "index key",
        (4, 15),
        (56, 80),
        &[
            "*Type mismatch for Index Key*",
            "Type mismatch for attribute to update",
            "Invalid attribute value type",
            "The update expression attempted to update the secondary index key *",
        ],
    ),
    long("key updated", (5, 13), (56, 56), &["*This attribute is part of the key"]),
    fault(
        "one item twice",
        20,
        57,
        &[
            "Transaction request cannot include multiple operations on one item",
            "Provided list of item keys contains duplicates",
        ],
    ),
    // What depends on the item.
    fault("condition failed", 11, CONDITION, &["The conditional request failed*"]),
    fault(
        "operand of the wrong type",
        14,
        80,
        &[
            "An operand in the update expression has an incorrect data type",
            "Type mismatch for attribute to update",
        ],
    ),
    fault(
        "operand missing",
        14,
        80,
        &["The provided expression refers to an attribute that does not exist in the item"],
    ),
    fault(
        "path missing",
        14,
        80,
        &["The document path provided in the update expression is invalid for update"],
    ),
    // As a value of the request, or as the sum that an update makes.
    long(
        "number overflow",
        (4, 14),
        (12, 80),
        &[
            "*Number overflow. Attempting to store a number with magnitude larger than supported range*",
            "*DynamoDB only supports precision up to 38 digits*",
        ],
    ),
];
