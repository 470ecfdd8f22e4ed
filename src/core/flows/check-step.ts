/** Runs the step that checks a value from earlier steps. */
import type { FlowStepOf } from '../../shared/model/flow.ts'
import { fieldAt } from '../sandbox/payload-paths.ts'
import { checksOfRule, ruleWords } from './rule-checks.ts'
import { fillIn, isReference, unmarked } from './references.ts'
import type { RunContext } from './run-context.ts'
import { type StepResult, passed, failed } from './step-result.ts'

export function runCheckStep(step: FlowStepOf<'check'>, { remembered }: RunContext): StepResult {
  const value = fillIn(step.value, remembered)
  const got = JSON.stringify(value)
  const name = unmarked(step.value)
  const owner = name.split('.')[0] ?? ''
  const currency = isReference(step.value) ? fieldAt(remembered.get(owner), 'currency') : undefined
  const results = checksOfRule({ field: name, path: null, value, currency }, step.rule, remembered)
  const checks = results.map(({ check: flowCheck }) => flowCheck)
  const wrong = results.find(({ mismatch }) => mismatch !== null)
  const title =
    step.title === undefined ? `${name} is ${got}` : String(fillIn(step.title, remembered))
  return wrong === undefined
    ? passed(`${name} is ${got}.`, { got, checks, title })
    : failed(
        `${name} ${wrong.mismatch}.`,
        `Expected ${ruleWords(step.rule)}. Check the delivery that the value comes from.`,
        { got, rule: name, checks, title },
      )
}
