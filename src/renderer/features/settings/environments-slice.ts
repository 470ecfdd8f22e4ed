/** What is done to environments, and what the core tells of them. */
import type { StateCreator } from 'zustand/vanilla'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { Environment, EnvironmentCheck } from '../../../shared/model/environment.ts'
import type { EntitiesSlice } from '../../state/entities-slice.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'
import { outcomeOf, type Outcome } from '../../ui/call-problem.ts'

export interface EnvironmentsSlice {
  /** The environment that a dialog is about; null where it makes a new one. */
  readonly environmentName: string | null
  /** What the last check of each environment taught. */
  readonly environmentChecks: Readonly<Record<string, EnvironmentCheck | 'checking'>>
  setEnvironmentName(name: string | null): void
  /** Some were added, changed or removed, here or from the command line. */
  environmentsChanged(environments: readonly Environment[]): void
  addEnvironment(input: InputOf<'environments.add'>): Promise<Outcome<Environment>>
  updateEnvironment(input: InputOf<'environments.update'>): Promise<Outcome<Environment>>
  removeEnvironment(name: string): Promise<Outcome<object>>
  makeCurrent(name: string): Promise<void>
  checkEnvironment(name: string): Promise<void>
}

export function createEnvironmentsSlice({
  client,
  notify,
}: SliceContext): StateCreator<EnvironmentsSlice & EntitiesSlice, [], [], EnvironmentsSlice> {
  return (set, get) => {
    const complain = (title: string, error: unknown) => {
      if (!isQuiet(error)) notify({ tone: 'bad', title, message: sentenceOf(error) })
    }
    const forgetCheck = (name: string) => {
      set(({ environmentChecks }) => ({
        environmentChecks: Object.fromEntries(Object.entries(environmentChecks).filter(([of]) => of !== name)),
      }))
    }
    const changing = async <T>(name: string, call: Promise<T>): Promise<Outcome<T>> => {
      const outcome = await outcomeOf(call)
      if (outcome.ok) forgetCheck(name)
      return outcome
    }
    return {
      environmentName: null,
      environmentChecks: {},
      setEnvironmentName(name) {
        set({ environmentName: name })
      },
      environmentsChanged(environments) {
        const before = get().environments
        set({ environments })
        for (const name of Object.keys(get().environmentChecks)) {
          const [was, is] = [before, environments].map((list) => list.find((one) => one.name === name))
          if (!isSameAccount(was, is)) forgetCheck(name)
        }
      },
      addEnvironment: (input) => changing(input.name, client.call('environments.add', input)),
      updateEnvironment: (input) => changing(input.name, client.call('environments.update', input)),
      removeEnvironment: (name) => changing(name, client.call('environments.remove', { name })),
      async makeCurrent(name) {
        try {
          await client.call('environments.use', { name })
        } catch (error) {
          complain(`${name} was not made the current environment`, error)
        }
      },
      async checkEnvironment(name) {
        if (get().environmentChecks[name] === 'checking') return
        set(({ environmentChecks }) => ({ environmentChecks: { ...environmentChecks, [name]: 'checking' } }))
        try {
          const check = await client.call('environments.check', { name })
          set(({ environmentChecks }) => ({ environmentChecks: { ...environmentChecks, [name]: check } }))
        } catch (error) {
          forgetCheck(name)
          complain(`${name} could not be checked`, error)
        }
      },
    }
  }
}

/** Whether a check of one says something of the other: all but which is the current one. */
function isSameAccount(one: Environment | undefined, other: Environment | undefined): boolean {
  return JSON.stringify({ ...one, current: null }) === JSON.stringify({ ...other, current: null })
}
