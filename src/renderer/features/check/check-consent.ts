/** What is agreed to before a check, or one case of it, is sent: the environment of its hook, and the words. */
import { listed } from '../../state/consent-question.ts'
import { counted } from '../../../shared/counted.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import type { FormQuestion } from '../../ui/use-consents.ts'

/** Undefined where the secret is none of a hook, or the hook is gone. */
export function environmentOf(
  hookId: string | null,
  { hooks, environments }: { readonly hooks: readonly Hook[]; readonly environments: readonly Environment[] },
): Environment | undefined {
  const hook = hooks.find(({ id }) => id === hookId)
  return environments.find(({ name }) => name === hook?.environment)
}

/** `what` is the subject of a sentence: `37 cases`. */
export function wordsOfConsent(question: FormQuestion, what: string, target: string) {
  if (question.about === 'host')
    return {
      action: `Send to ${question.host}`,
      what: `${question.requests === null ? 'Requests' : `Up to ${counted(question.requests, 'request')}`} would go there: genuine deliveries, which it books, and forged ones. Whoever runs it should know.`,
    }
  return {
    action: `Check with a secret of ${listed(question.environments)} (live)`,
    what: `${what} would go to ${target}, signed with the secret of a live hook. What is genuine may be taken for real.`,
  }
}
