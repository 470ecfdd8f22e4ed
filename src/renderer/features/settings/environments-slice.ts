/** Environment actions and check results. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { Environment, EnvironmentCheck } from '../../../shared/model/environment.ts'
import type { EntitiesSlice } from '../../state/entities-slice.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'

export interface EnvironmentsSlice {
  /** The environment being edited; null for a new one. */
  readonly name: string | null
  /** The last check result of each environment. */
  readonly checks: Readonly<Record<string, EnvironmentCheck | 'checking'>>
  setName(name: string | null): void
  /** Environments were added, changed or removed, in the window or from the command line. */
  changed(environments: readonly Environment[]): void
  add(input: InputOf<'environments.add'>): Promise<CallResult<Environment>>
  update(input: InputOf<'environments.update'>): Promise<CallResult<Environment>>
  remove(name: string): Promise<CallResult<object>>
  makeCurrent(name: string): Promise<void>
  check(name: string): Promise<void>
}

export function createEnvironmentsSlice({
  client,
  act,
  set,
  get,
  app,
}: FeatureTools<EnvironmentsSlice, { readonly core: EntitiesSlice }>): EnvironmentsSlice {
  const forgetCheck = (name: string) =>
    set(({ checks: environmentChecks }) => ({
      checks: Object.fromEntries(Object.entries(environmentChecks).filter(([of]) => of !== name)),
    }))
  const changing = async <T>(name: string, call: Promise<T>): Promise<CallResult<T>> => {
    const outcome = await outcomeOf(call)
    if (outcome.ok) forgetCheck(name)
    return outcome
  }
  return {
    name: null,
    checks: {},
    setName(name) {
      set({ name })
    },
    changed(environments) {
      const before = app().core.environments
      app().core.setEnvironments(environments)
      for (const name of Object.keys(get().checks)) {
        const [was, is] = [before, environments].map((list) =>
          list.find((one) => one.name === name),
        )
        if (!isSameAccount(was, is)) forgetCheck(name)
      }
    },
    add: (input) => changing(input.name, client.call('environments.add', input)),
    update: (input) => changing(input.name, client.call('environments.update', input)),
    remove: (name) => changing(name, client.call('environments.remove', { name })),
    async makeCurrent(name) {
      await act(`Couldn't switch to ${name}`, () => client.call('environments.use', { name }))
    },
    async check(name) {
      if (get().checks[name] === 'checking') return
      set(({ checks }) => ({ checks: { ...checks, [name]: 'checking' } }))
      const check = await act(`Couldn't check ${name}`, () =>
        client.call('environments.check', { name }),
      )
      if (check === undefined) forgetCheck(name)
      else set(({ checks }) => ({ checks: { ...checks, [name]: check } }))
    },
  }
}

/** Whether a change affects check results: any except which environment is current. */
function isSameAccount(one: Environment | undefined, other: Environment | undefined): boolean {
  return JSON.stringify({ ...one, current: null }) === JSON.stringify({ ...other, current: null })
}
