// One line for each claim that was checked, and the errors that a claim expects.
import { isDeepStrictEqual, inspect } from "node:util";

/** A claim that does not hold. */
export class Broken extends Error {}

/** Says that the claim holds, or stops the recipe. */
export function holds(claim, condition, ...seen) {
  if (!condition) throw new Broken(`${claim}; seen: ${seen.map((thing) => inspect(thing, { depth: 8 })).join(", ")}`);
  console.log(`ok      ${claim}`);
}

/** Says that two things are the same. */
export function equal(claim, found, expected) {
  holds(claim, isDeepStrictEqual(found, expected), found, expected);
}

/** Says that the promise fails with this error, and returns the error. */
export async function refused(claim, name, promise) {
  let answer;
  try {
    answer = await promise;
  } catch (error) {
    if (error.name !== name) throw new Broken(`${claim}; seen: ${error.name}: ${error.message}, expected ${name}`);
    console.log(`ok      ${claim}`);
    return error;
  }
  throw new Broken(`${claim}; it was accepted: ${inspect(answer, { depth: 4 })}`);
}
