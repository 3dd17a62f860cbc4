// The AWS SDK for JavaScript. It is installed in a folder of its own, named by THEORY_NODE_MODULES, and an import would look
// for it only beside this file.
import { createRequire } from "node:module";
import { join } from "node:path";

const modules = process.env.THEORY_NODE_MODULES;
if (!modules) throw new Error("THEORY_NODE_MODULES is not set: `cargo xtask test` installs the modules and sets it");
const require = createRequire(join(modules, "..", "package.json"));

export const dynamodb = require("@aws-sdk/client-dynamodb");
export const streams = require("@aws-sdk/client-dynamodb-streams");
export const lib = require("@aws-sdk/lib-dynamodb");
export const { marshall, unmarshall } = require("@aws-sdk/util-dynamodb");
