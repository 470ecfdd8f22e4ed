/** The secrets of hooks as `NAME=secret` lines, for the configuration of the handler that verifies their deliveries. */
import type { Hook } from '../shared/model/hook.ts'

type NamedHook = Pick<Hook, 'event' | 'environment'>

export interface NamedSecret {
  readonly hook: NamedHook
  readonly secret: string
}

function baseName(hook: NamedHook): string {
  return `WEBHOOK_SECRET_${hook.event.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`
}

/** Names by the event; where several hooks share one, the environment joins, and where that is not enough a number. */
function namesOf(hooks: readonly NamedHook[]): string[] {
  const countOf = (names: readonly string[], name: string) => names.filter((other) => other === name).length
  const byEvent = hooks.map(baseName)
  const byEnvironment = hooks.map((hook, index) => {
    const name = byEvent[index] ?? ''
    return countOf(byEvent, name) === 1 ? name : `${name}_${hook.environment.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`
  })
  return byEnvironment.map((name, index) =>
    countOf(byEnvironment, name) === 1 ? name : `${name}_${countOf(byEnvironment.slice(0, index), name) + 1}`,
  )
}

/** Quoted so that a shell and the usual readers of `.env` files take the text as it is. */
function quote(secret: string): string {
  return /^[\w./+=:@%-]+$/.test(secret) ? secret : `'${secret.replaceAll("'", String.raw`'\''`)}'`
}

/** One line a hook, in the order given. */
export function environmentLines(secrets: readonly NamedSecret[]): string[] {
  const names = namesOf(secrets.map(({ hook }) => hook))
  return secrets.map(({ secret }, index) => `${names[index]}=${quote(secret)}`)
}
