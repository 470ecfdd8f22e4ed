/** The pages behind the windows. Popups that a page opens are closed before they load anything. */
import type { CdpConnection, CdpSession } from './cdp.ts'
import { theChromium } from './state.ts'

interface AttachedTarget {
  readonly sessionId: string
  readonly targetInfo: {
    readonly targetId: string
    readonly type: string
    readonly url: string
    readonly openerId?: string
  }
}

const owned = new Map<string, () => void>()
let watching: Promise<void> | undefined

async function watch(cdp: CdpConnection): Promise<void> {
  const { browser } = cdp
  browser.events.on('Target.targetDestroyed', ({ targetId }: { targetId: string }) => {
    owned.get(targetId)?.()
  })
  browser.events.on('Target.attachedToTarget', ({ sessionId, targetInfo }: AttachedTarget) => {
    // A page's popup may have no URL and no opener; pages opened through the protocol start at
    // about:blank.
    const isPopup =
      targetInfo.type === 'page' && (owned.has(targetInfo.openerId ?? '') || targetInfo.url === '')
    const done = isPopup
      ? browser.send('Target.closeTarget', { targetId: targetInfo.targetId })
      : cdp.session(sessionId).send('Runtime.runIfWaitingForDebugger')
    // A target may be gone before the response.
    done.catch(() => {})
  })
  await browser.send('Target.setDiscoverTargets', { discover: true })
  await browser.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: true,
  })
}

export interface OpenTarget {
  readonly session: CdpSession
  close(): Promise<unknown>
}

/**
 * Opens an empty page.
 * @param onGone Called when the page is closed, by anyone.
 */
export async function openTarget(
  size: { width: number; height: number },
  onGone: () => void,
): Promise<OpenTarget> {
  const { cdp } = await theChromium()
  watching ??= watch(cdp)
  await watching
  const created = { url: 'about:blank', newWindow: true, ...size }
  const { targetId } = await cdp.browser.send<{ targetId: string }>('Target.createTarget', created)
  owned.set(targetId, onGone)
  const attached = await cdp.browser.send<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  })
  return {
    session: cdp.session(attached.sessionId),
    close: () => cdp.browser.send('Target.closeTarget', { targetId }),
  }
}
