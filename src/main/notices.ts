/** Notices of kinds that the user switched on, for the system; without a delivery's content. */
import type { PayloadOf } from '../shared/contract/contract.ts'
import type { ForwardStatus } from '../shared/model/forward.ts'
import type { DesktopSettings } from '../shared/model/settings.ts'
import { deliveryCount } from '../shared/text/english.ts'
import { throttle } from '../core/base/throttle.ts'

export interface DesktopNotice {
  readonly title: string
  readonly body: string
  readonly opens:
    | { readonly deliveryId: string }
    | { readonly action: 'go-forward' | 'go-flows' | 'go-deliveries' }
}

interface NoticesDeps {
  settings(): DesktopSettings
  isInFront(): boolean
  show(notice: DesktopNotice): void
}

export type Notices = ReturnType<typeof createNotices>

const SHOWN_EVERY_MS = 30_000

const isTrouble = (light: ForwardStatus) => light === 'failing' || light === 'down'

export function createNotices({ settings, isInFront, show }: NoticesDeps) {
  /** Returns a function that shows notices; several in one interval are shown as one. */
  const createGroup = (summaryOf: (count: number) => DesktopNotice) => {
    const pending: DesktopNotice[] = []
    const showPending = throttle(
      () => {
        const notices = pending.splice(0)
        const [only] = notices
        if (only !== undefined) show(notices.length === 1 ? only : summaryOf(notices.length))
      },
      { everyMs: SHOWN_EVERY_MS },
    )
    return (notices: readonly DesktopNotice[]) => {
      if (notices.length === 0 || isInFront()) return
      pending.push(...notices)
      showPending()
    }
  }
  const groups = {
    invalid: createGroup((count) => ({
      title: 'Invalid signatures',
      body: `${deliveryCount(count)} with an invalid signature.`,
      opens: { action: 'go-deliveries' },
    })),
    handler: createGroup((count) => ({
      title: 'Handlers failing',
      body: `${count} forward targets don't acknowledge deliveries.`,
      opens: { action: 'go-forward' },
    })),
    flow: createGroup((count) => ({
      title: 'Flows failed',
      body: `${count} flows failed.`,
      opens: { action: 'go-flows' },
    })),
  }

  const lastLights = new Map<string, ForwardStatus>()
  const reportedFlows = new Set<string>()
  return {
    delivered({ added }: PayloadOf<'deliveries.changed'>) {
      if (!settings().notifyInvalid) return
      const invalid = added.filter(
        ({ verdict, origin }) => verdict === 'invalid' && origin === 'received',
      )
      groups.invalid(
        invalid.map(({ id, event }) => ({
          title: 'Invalid signature',
          body: `${event ?? 'A delivery'} arrived with a signature that doesn't match its hook's secret.`,
          opens: { deliveryId: id },
        })),
      )
    },
    forwarded({ targets }: PayloadOf<'forward.changed'>) {
      const newlyFailing = targets.filter(
        ({ id, light }) => isTrouble(light) && !isTrouble(lastLights.get(id) ?? 'new'),
      )
      for (const { id, light } of targets) lastLights.set(id, light)
      if (!settings().notifyHandler) return
      groups.handler(
        newlyFailing.map(({ name, url, light, problem }) => ({
          title: light === 'down' ? 'Handler not responding' : 'Handler failing',
          body: `${name === '' ? url : name}: ${problem ?? "it doesn't acknowledge deliveries."}`,
          opens: { action: 'go-forward' },
        })),
      )
    },
    flowChanged({ run }: PayloadOf<'flows.changed'>) {
      if (run.state !== 'done' || run.outcome !== 'fail' || reportedFlows.has(run.id)) return
      reportedFlows.add(run.id)
      if (!settings().notifyFlow) return
      groups.flow([
        { title: `Flow failed: ${run.title}`, body: run.summary, opens: { action: 'go-flows' } },
      ])
    },
  }
}
