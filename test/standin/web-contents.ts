/**
 * `WebContents` over one Chromium page: an isolated preload world, messages, navigation requests, and windows that pages try to
 * open.
 */
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import type { WebContents, WebFrameMain } from 'electron'
import { fromChromium, STANDIN_PATTERN, toChromium } from './addresses.ts'
import { type FromPreload, installPageSide, installPreloadSide, makeWire } from './bridge.ts'
import type { CdpSession } from './cdp.ts'
import { hearFromPreload } from './ipc.ts'
import { answerRequest, type PausedRequest } from './protocol.ts'
import { report } from './state.ts'
import { strict } from './strict.ts'

type OpenHandler = Parameters<WebContents['setWindowOpenHandler']>[0]

export interface Contents {
  /** The app's view, available as soon as the window is created. */
  readonly contents: EventEmitter & VisibleContents
  /** Attaches to a page that has loaded nothing yet. */
  attach(session: CdpSession): Promise<void>
  load(url: string): Promise<void>
  destroy(): void
}

type VisibleContents = Pick<WebContents, 'send' | 'getURL' | 'isDestroyed' | 'setWindowOpenHandler' | 'reload'>

interface CreatedContext {
  readonly name: string
  readonly uniqueId: string
  readonly auxData: { readonly frameId: string }
}

/**
 * The scripts of both worlds, for one window. `binding` is the only way to the main process; its name is deleted as soon as the
 * script holds it.
 */
function scripts(binding: string, preload: string) {
  const channel = JSON.stringify(randomUUID())
  const wire = makeWire.toString()
  return {
    page: `(${installPageSide.toString()})(${channel}, ${wire})`,
    preload: `(${installPreloadSide.toString()})(${channel}, ${wire}, ${JSON.stringify(binding)}, ${JSON.stringify(process.platform)},
      (require, process, exports, module) => {\n${readFileSync(preload, 'utf8')}\n})`,
  }
}

/** Creates the web contents of a window that has no page yet. */
export function createContents(preload: string): Contents {
  const world = `preload-${randomUUID()}`
  const binding = `binding-${randomUUID()}`
  const loading = new Set<string>()
  let session: CdpSession | null = null
  let url = ''
  let mainFrameId = ''
  let context: string | null = null
  let destroyed = false
  let openHandler: OpenHandler | null = null

  const emitter = new EventEmitter().setMaxListeners(0)
  const mainFrame = strict('frame', {
    get url() {
      return url
    },
    parent: null,
  } satisfies Pick<WebFrameMain, 'url' | 'parent'>)

  const members = {
    send(channel, ...values: unknown[]) {
      if (context === null) return
      const expression = `globalThis[${JSON.stringify(binding)}](${JSON.stringify(channel)}, ${JSON.stringify(values)})`
      // A closing document loses the message, as in Electron.
      session?.send('Runtime.evaluate', { expression, uniqueContextId: context }).catch(() => {})
    },
    getURL: () => url,
    isDestroyed: () => destroyed,
    setWindowOpenHandler(handler) {
      openHandler = handler
    },
    reload() {
      loading.add(toChromium(url))
      void session?.send('Page.reload')
    },
  } satisfies VisibleContents
  const contents = strict('webContents', Object.assign(emitter, members, { mainFrame }))

  /** Asks the app whether a document may load. As in Electron, URLs that the app itself loads aren't asked about. */
  const mayLoad = (target: string, isMainFrame: boolean) => {
    let prevented = false
    const details = {
      url: fromChromium(target),
      isMainFrame,
      isSameDocument: false,
      frame: isMainFrame ? mainFrame : null,
      preventDefault: () => (prevented = true),
    }
    emitter.emit('will-frame-navigate', details)
    if (isMainFrame && !prevented) emitter.emit('will-navigate', details, details.url)
    return !prevented
  }

  const answerPaused = async (page: CdpSession, paused: PausedRequest) => {
    const { url: asked } = paused.request
    const isDocument = paused.resourceType === 'Document'
    if (isDocument && !loading.delete(asked) && !mayLoad(asked, paused.frameId === mainFrameId))
      await page.send('Fetch.failRequest', { requestId: paused.requestId, errorReason: 'Aborted' })
    else if (fromChromium(asked) === asked) await page.send('Fetch.continueRequest', { requestId: paused.requestId })
    else await answerRequest(page, paused)
  }

  const askToOpen = (asked: string) => {
    const answer = openHandler?.({
      url: fromChromium(asked),
      frameName: '',
      features: '',
      disposition: 'foreground-tab',
      referrer: { url: '', policy: 'no-referrer' },
    })
    if (answer?.action !== 'deny') throw new Error('The stand-in for electron opens no second windows for a page.')
  }

  const hear = (page: CdpSession) => {
    page.events.on('Fetch.requestPaused', (paused: PausedRequest) => {
      answerPaused(page, paused).catch((error: unknown) => {
        if (!destroyed) process.stderr.write(`standin: ${paused.request.url}: ${String(error)}\n`)
      })
    })
    page.events.on('Runtime.executionContextCreated', ({ context: made }: { context: CreatedContext }) => {
      if (made.name === world && made.auxData.frameId === mainFrameId) context = made.uniqueId
    })
    page.events.on('Page.frameNavigated', ({ frame }: { frame: { parentId?: string; url: string } }) => {
      if (frame.parentId !== undefined) return
      url = fromChromium(frame.url)
      emitter.emit('did-navigate', {}, url, 200, 'OK')
    })
    page.events.on('Page.loadEventFired', () => {
      emitter.emit('did-finish-load')
    })
    page.events.on('Inspector.targetCrashed', () => {
      emitter.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 })
    })
    page.events.on('Runtime.bindingCalled', ({ name, payload }: { name: string; payload: string }) => {
      if (name !== binding) return
      const message = JSON.parse(payload) as FromPreload
      if (message.kind === 'ipc') hearFromPreload(contents, mainFrame, message.channel, message.values)
      else if (message.kind === 'open') askToOpen(message.url)
      else if (message.kind === 'input') emitter.emit('input-event', {}, { type: message.type })
      else report({ kind: 'preloadFailed', message: message.message })
    })
  }

  return {
    contents,
    async attach(page) {
      const source = scripts(binding, preload)
      const { frameTree } = await page.send<{ frameTree: { frame: { id: string } } }>('Page.getFrameTree')
      mainFrameId = frameTree.frame.id
      session = page
      hear(page)
      for (const domain of ['Page', 'Runtime', 'Inspector']) await page.send(`${domain}.enable`)
      await page.send('Page.addScriptToEvaluateOnNewDocument', { source: source.page })
      await page.send('Runtime.addBinding', { name: binding, executionContextName: world })
      await page.send('Page.addScriptToEvaluateOnNewDocument', { source: source.preload, worldName: world })
      await page.send('Fetch.enable', {
        patterns: [{ urlPattern: STANDIN_PATTERN }, { urlPattern: '*', resourceType: 'Document' }],
      })
    },
    async load(target) {
      loading.add(toChromium(target))
      await session?.send('Page.navigate', { url: toChromium(target) })
    },
    destroy() {
      if (destroyed) return
      destroyed = true
      emitter.emit('destroyed')
    },
  }
}
