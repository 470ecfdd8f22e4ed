/** Environment variables of hook secrets. */
import type { Hook } from '../model/hook.ts'
import { SECRET_VARIABLE } from './snippet.ts'

const inCapitals = (text: string) => text.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')

/** Names secrets after events; adds the environment, then a number, if they repeat. */
export function secretNames(hooks: readonly Pick<Hook, 'event' | 'environment'>[]): string[] {
  const countOf = (names: readonly string[], name: string) =>
    names.filter((other) => other === name).length
  const byEvent = hooks.map(({ event }) => `${SECRET_VARIABLE}_${inCapitals(event)}`)
  const byEnvironment = hooks.map(({ environment }, index) => {
    const name = byEvent[index] ?? ''
    return countOf(byEvent, name) === 1 ? name : `${name}_${inCapitals(environment)}`
  })
  return byEnvironment.map((name, index) =>
    countOf(byEnvironment, name) === 1
      ? name
      : `${name}_${countOf(byEnvironment.slice(0, index), name) + 1}`,
  )
}
