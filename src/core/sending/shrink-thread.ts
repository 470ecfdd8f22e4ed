/**
 * Entry of the thread that searches for a smallest body, because taking apart megabytes must not delay the receiver. Asks about
 * each smaller body and continues with the answer.
 */
import { parentPort } from 'node:worker_threads'
import { stepBack } from '../base/threads/priority.ts'
import { shrinkBytes, countNodes, fieldsOf, shrinkJson, textOfJson } from './shrink-json.ts'
import type { FromSearch, ToSearch } from './shrink.ts'

function serve(port: NonNullable<typeof parentPort>): void {
  let original: Uint8Array = new Uint8Array()
  let text: string | null = null
  let event: string | null = null
  let answer: ((isFailing: boolean) => void) | null = null
  const tell = (message: FromSearch) => port.postMessage(message)
  const fails = (body: Uint8Array) =>
    new Promise<boolean>((resolve) => {
      answer = resolve
      tell({ type: 'asked', body })
    })
  const onPhase = (phase: 'removing' | 'simplifying') => tell({ type: 'phase', phase })

  async function search(): Promise<Uint8Array> {
    if (text !== null) {
      const encode = (part: string) => new TextEncoder().encode(part)
      return encode(await shrinkJson(text, (part) => fails(encode(part)), { event, onPhase }))
    }
    onPhase('removing')
    return shrinkBytes(original, fails)
  }

  function describe(smallest: Uint8Array): void {
    const after = text === null ? null : textOfJson(smallest)
    if (text === null || after === null)
      tell({ type: 'described', removed: original.length - smallest.length, fields: [] })
    else
      tell({
        type: 'described',
        removed: countNodes(text) - countNodes(after),
        fields: fieldsOf(after, event),
      })
  }

  port.on('message', (message: ToSearch) => {
    if (message.type === 'read') {
      original = message.body
      text = textOfJson(original)
      event = message.event
      tell({ type: 'read', kind: text === null ? 'bytes' : 'json' })
    } else if (message.type === 'answer') answer?.(message.isFailing)
    else if (message.type === 'describe') describe(message.smallest)
    // An error ends the thread, which reports it.
    else void search().then((body) => tell({ type: 'found', body }))
  })
}

if (parentPort !== null) {
  stepBack(5)
  serve(parentPort)
}
