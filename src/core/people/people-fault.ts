/** Checks whether a value has the shape of the rules for people. The value comes from the database or from a list of approvers. */
import { RISKS } from '../effects/permission.ts';

/** The largest quorum. */
const MAX_PEOPLE = 9;

export function arePeopleRules(value: unknown): boolean {
  const { quorum, persons, delegations, ...others } = objectOf(value);
  if (Object.keys(others).length > 0 || !Array.isArray(persons) || !Array.isArray(delegations)) return false;
  const ids = new Set(persons.map((person) => objectOf(person)['id']));
  return (
    isQuorum(quorum) && persons.every(isPersonRule) && ids.size === persons.length && delegations.every(isDelegation)
  );
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

function isQuorum(value: unknown): boolean {
  const counts = objectOf(value);
  return (
    Object.keys(counts).length === RISKS.length &&
    RISKS.every((risk) => {
      const count = counts[risk];
      return typeof count === 'number' && Number.isSafeInteger(count) && count >= 1 && count <= MAX_PEOPLE;
    })
  );
}

function isPersonRule(value: unknown): boolean {
  const { id, limits, own, ...others } = objectOf(value);
  if (typeof id !== 'string' || !areTexts(own) || Object.keys(others).length > 0) return false;
  return limits === null || isLimits(limits);
}

function isLimits(value: unknown): boolean {
  const { requesters, hosts, upTo, ...others } = objectOf(value);
  const isRisk = RISKS.some((risk) => risk === upTo);
  return isRisk && areTextsOrNull(requesters) && areTextsOrNull(hosts) && Object.keys(others).length === 0;
}

function isDelegation(value: unknown): boolean {
  const { from, to, untilMs, ...others } = objectOf(value);
  const isWhole = typeof from === 'string' && typeof to === 'string' && Number.isSafeInteger(untilMs);
  return isWhole && from !== to && Object.keys(others).length === 0;
}

const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every((text) => typeof text === 'string');
const areTextsOrNull = (value: unknown): boolean => value === null || areTexts(value);
