/** Names the endpoint that requests go to. */
import { handlerNameIn } from '../shared/http.ts'
import type { CommandRun, Session } from './session.ts'

interface SentTo {
  /** Target URL; null for the URL of each delivery's hook. */
  readonly target: string | null
  readonly handlerId: string | null
}

/** Prints the endpoint, such as "Replaying to @local: URL", unless the user typed its URL. */
export async function noteEndpoint(
  { output }: Pick<CommandRun, 'output'>,
  { client }: Pick<Session, 'client'>,
  verb: string,
  { target, handlerId }: SentTo,
  to: string | undefined,
): Promise<void> {
  if (to !== undefined && handlerNameIn(to) === null) return
  const { handlers } =
    target === null || handlerId === null
      ? { handlers: [] }
      : await client.call('handlers.list', {})
  const saved = handlers.find(({ id }) => id === handlerId)
  if (target === null) output.note(`${verb} the registered URL of each delivery's hook.`)
  else if (saved === undefined) output.note(`${verb} ${target}.`)
  else
    output.note(
      `${verb} ${to === undefined ? 'the current handler, ' : ''}@${saved.name}: ${target}`,
    )
}
