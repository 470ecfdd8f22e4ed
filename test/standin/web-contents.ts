/**
 * `WebContents` over one Chromium page: an isolated preload world, messages, frames and navigation.
 */
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import type {
  BrowserWindowConstructorOptions,
  RenderProcessGoneDetails,
  WebContents,
  WebFrameMain,
} from 'electron'
import { fromChromium, STANDIN_PATTERN, toChromium } from './addresses.ts'
import { type FromPreload, installPageSide, installPreloadSide, makeWire } from './bridge.ts'
import type { CdpSession } from './cdp.ts'
import { hearFromPreload } from './ipc.ts'
import { refuseDestroyed } from './lifecycle.ts'
import { answerRequest, type PausedRequest } from './protocol.ts'
import { endPermissionRequest, type PermissionRequest, requestPermission } from './session.ts'
import { reportShell } from './shell-parts.ts'
import { answerTest, report, theChromium } from './state.ts'
import { strict } from './strict.ts'

type OpenHandler = Parameters<WebContents['setWindowOpenHandler']>[0]
type OpenChild = (url: string, overrides: BrowserWindowConstructorOptions | undefined) => void

interface Contents {
  /** View of the app, available as soon as the window is created. */
  readonly contents: EventEmitter & Pick<WebContents, 'getURL'>
  /** Attaches to a page that has loaded nothing yet. */
  attach(session: CdpSession): Promise<void>
  load(url: string): Promise<void>
  destroy(): void
}

interface CreatedContext {
  readonly id: number
  readonly name: string
  readonly uniqueId: string
  readonly auxData: { readonly frameId: string }
}

type Reason = RenderProcessGoneDetails['reason']

/**
 * Actions of tests on the page of the oldest window, in place of the system or another document.
 */
const ofTests: {
  crash: (reason: Reason) => void
  /** Makes the next document of the app a redirect to this URL. */
  redirectNext: (url: string) => void
  attachWebview: () => boolean
  loaded: () => Promise<void>
}[] = []
const oldest = () => {
  const [first] = ofTests
  if (first === undefined) throw new Error('There is no window.')
  return first
}
answerTest('crash', (reason: Reason) => {
  oldest().crash(reason)
})
answerTest('redirectNext', (url: string) => {
  oldest().redirectNext(url)
})
answerTest('loaded', () => oldest().loaded())
answerTest('attachWebview', () => oldest().attachWebview())

/**
 * Returns the scripts of both worlds. `binding` is the only way to the main process; its name is
 * deleted as soon as the script holds it.
 */
function scripts(channel: string, binding: string, preload: string) {
  const name = JSON.stringify(channel)
  const wire = makeWire.toString()
  return {
    page: `(${installPageSide.toString()})(${name}, ${wire})`,
    preload: `(${installPreloadSide.toString()})(${name}, ${wire}, ${JSON.stringify(binding)}, ${JSON.stringify(process.platform)},
      (require, process, exports, module) => {\n${readFileSync(preload, 'utf8')}\n})`,
  }
}

type FrameMembers = Pick<WebFrameMain, 'url' | 'isDestroyed'>

/** Creates the frames of a page by Chromium's ids; the main frame exists before its id. */
function createFrames() {
  const urls = new Map<string, string>()
  const frames = new Map<string, object>()
  let mainId = ''
  let mainUrl = ''
  const main = strict('frame', {
    get url() {
      return mainUrl
    },
    parent: null,
    get frames() {
      return [...frames.values()]
    },
    isDestroyed: () => false,
  } satisfies FrameMembers & { parent: null; frames: object[] })

  return {
    main,
    mainUrl: () => mainUrl,
    isMain: (id: string) => id === mainId,
    setMain(id: string) {
      mainId = id
    },
    /** Finds the frame with this id; null once it has gone, as `senderFrame` is. */
    find: (id: string): object | null => (id === mainId ? main : (frames.get(id) ?? null)),
    urlOf: (id: string) => (id === mainId ? mainUrl : (urls.get(id) ?? '')),
    added(id: string, parentId: string) {
      const frame = strict('frame', {
        get url() {
          return urls.get(id) ?? ''
        },
        get parent() {
          return parentId === mainId ? main : (frames.get(parentId) ?? null)
        },
        top: main,
        isDestroyed: () => !frames.has(id),
      } satisfies FrameMembers & { parent: object | null; top: object })
      frames.set(id, frame)
      urls.set(id, 'about:blank')
    },
    navigated(id: string, url: string) {
      if (id === mainId) mainUrl = url
      else urls.set(id, url)
    },
    removed(id: string) {
      frames.delete(id)
      urls.delete(id)
    },
  }
}

export function createContents(preload: string, openChild: OpenChild): Contents {
  const world = `preload-${randomUUID()}`
  const binding = `binding-${randomUUID()}`
  const channel = randomUUID()
  const loading = new Set<string>()
  const frames = createFrames()
  /** Preload worlds of the documents that are shown: the frame of each, and its unique id. */
  const worlds = new Map<number, { frameId: string; uniqueId: string }>()
  let session: CdpSession | null = null
  let redirectNext: string | null = null
  let reason: Reason = 'crashed'
  let crashed = false
  let destroyed = false
  let openHandler: OpenHandler | null = null

  const emitter = new EventEmitter().setMaxListeners(0)

  const tellWorld = (uniqueId: string, name: string, values: readonly unknown[]) => {
    const expression = `globalThis[${JSON.stringify(binding)}](${JSON.stringify(name)}, ${JSON.stringify(values)})`
    // A closing document loses the message, as in Electron.
    session?.send('Runtime.evaluate', { expression, uniqueContextId: uniqueId }).catch(() => {})
  }

  const members = {
    send(name, ...values: unknown[]) {
      for (const { frameId, uniqueId } of worlds.values())
        if (frames.isMain(frameId)) tellWorld(uniqueId, name, values)
    },
    getURL: () => frames.mainUrl(),
    loadURL: (target) => load(target),
    isDestroyed: () => destroyed,
    isCrashed: () => crashed,
    forcefullyCrashRenderer() {
      // Chromium never responds to it.
      session?.send('Page.crash').catch(() => {})
    },
    setWindowOpenHandler(handler) {
      openHandler = handler
    },
    async executeJavaScript(expression) {
      const given = { expression, awaitPromise: true, returnByValue: true }
      const evaluated = await session?.send<{
        result: { value?: unknown }
        exceptionDetails?: { text: string }
      }>('Runtime.evaluate', given)
      if (evaluated?.exceptionDetails !== undefined)
        throw new Error(evaluated.exceptionDetails.text)
      return evaluated?.result.value
    },
    setZoomFactor(factor) {
      reportShell({ kind: 'zoom', factor })
    },
    reload() {
      loading.add(toChromium(frames.mainUrl()))
      void session?.send('Page.reload')
    },
  } satisfies Partial<WebContents>
  const contents = strict(
    'webContents',
    Object.assign(emitter, members, { mainFrame: frames.main }),
    refuseDestroyed(() => destroyed),
  )

  /** Asks the app by `event` whether something may happen. */
  const ask = (event: string, details: object, ...values: unknown[]) => {
    let prevented = false
    emitter.emit(event, { ...details, preventDefault: () => (prevented = true) }, ...values)
    return !prevented
  }

  /** Whether a document may load; the app isn't asked about URLs that it loads, as in Electron. */
  const mayLoad = ({ request, frameId, redirectedRequestId }: PausedRequest) => {
    const isMainFrame = frames.isMain(frameId)
    const details = {
      url: fromChromium(request.url),
      isMainFrame,
      isSameDocument: false,
      frame: frames.find(frameId),
    }
    if (redirectedRequestId !== undefined) return ask('will-redirect', details, details.url)
    return (
      ask('will-frame-navigate', details) &&
      (!isMainFrame || ask('will-navigate', details, details.url))
    )
  }

  const answerPaused = async (page: CdpSession, paused: PausedRequest) => {
    const { url: asked } = paused.request
    const { requestId } = paused
    const isDocument = paused.resourceType === 'Document'
    if (isDocument && !loading.delete(asked) && !mayLoad(paused))
      await page.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    else if (fromChromium(asked) === asked) await page.send('Fetch.continueRequest', { requestId })
    else if (isDocument && redirectNext !== null) {
      const responseHeaders = [{ name: 'Location', value: redirectNext }]
      redirectNext = null
      await page.send('Fetch.fulfillRequest', { requestId, responseCode: 302, responseHeaders })
    } else await answerRequest(page, paused)
  }

  const askToOpen = (asked: string) => {
    const url = fromChromium(asked)
    const response = openHandler?.({
      url,
      frameName: '',
      features: '',
      disposition: 'foreground-tab',
      referrer: { url: '', policy: 'no-referrer' },
    })
    // Electron without a handler opens the window.
    if (response === undefined || response.action === 'allow')
      openChild(url, response?.overrideBrowserWindowOptions)
  }

  const permit = async (
    contextId: number,
    message: Extract<FromPreload, { kind: 'permission' }>,
  ) => {
    const from = worlds.get(contextId)
    if (from === undefined) return
    const { cdp } = await theChromium()
    const asked = {
      permission: message.permission as PermissionRequest['permission'],
      url: frames.urlOf(from.frameId),
      isMainFrame: frames.isMain(from.frameId),
      ...(message.mediaTypes === undefined ? {} : { mediaTypes: message.mediaTypes }),
    }
    if (message.ended === true) await endPermissionRequest(cdp, asked)
    else {
      await requestPermission(cdp, contents, asked)
      tellWorld(from.uniqueId, channel, [message.id])
    }
  }

  const complain = (what: string) => (error: unknown) => {
    if (!destroyed) process.stderr.write(`standin: ${what}: ${String(error)}\n`)
  }

  const hear = (page: CdpSession) => {
    const { events } = page
    events.on('Fetch.requestPaused', (paused: PausedRequest) => {
      answerPaused(page, paused).catch(complain(paused.request.url))
    })
    events.on(
      'Runtime.executionContextCreated',
      ({ context: made }: { context: CreatedContext }) => {
        if (made.name === world)
          worlds.set(made.id, { frameId: made.auxData.frameId, uniqueId: made.uniqueId })
      },
    )
    events.on(
      'Runtime.executionContextDestroyed',
      ({ executionContextId }: { executionContextId: number }) => {
        worlds.delete(executionContextId)
      },
    )
    events.on('Runtime.executionContextsCleared', () => {
      worlds.clear()
    })
    events.on(
      'Page.frameAttached',
      ({ frameId, parentFrameId }: { frameId: string; parentFrameId: string }) => {
        frames.added(frameId, parentFrameId)
      },
    )
    events.on(
      'Page.frameDetached',
      ({ frameId, reason: why }: { frameId: string; reason: 'remove' | 'swap' }) => {
        if (why === 'remove') frames.removed(frameId)
      },
    )
    events.on(
      'Page.frameNavigated',
      ({ frame }: { frame: { id: string; parentId?: string; url: string } }) => {
        // Another process may give the main frame another id.
        if (frame.parentId === undefined) frames.setMain(frame.id)
        frames.navigated(frame.id, fromChromium(frame.url))
        if (frame.parentId !== undefined) return
        crashed = false
        emitter.emit('did-navigate', {}, frames.mainUrl(), 200, 'OK')
      },
    )
    events.on('Page.loadEventFired', () => {
      emitter.emit('did-finish-load')
    })
    events.on('Inspector.targetCrashed', () => {
      crashed = true
      worlds.clear()
      const details = { reason, exitCode: reason === 'killed' ? 9 : 5 }
      reason = 'crashed'
      emitter.emit('render-process-gone', {}, details)
    })
    events.on(
      'Runtime.bindingCalled',
      (called: { name: string; payload: string; executionContextId: number }) => {
        if (called.name !== binding) return
        const message = JSON.parse(called.payload) as FromPreload
        if (message.kind === 'permission')
          permit(called.executionContextId, message).catch(complain(message.permission))
        else if (message.kind === 'ipc') {
          const frame = frames.find(worlds.get(called.executionContextId)?.frameId ?? '')
          hearFromPreload(contents, frame, message.channel, message.values)
        } else if (message.kind === 'open') askToOpen(message.url)
        else if (message.kind === 'input') emitter.emit('input-event', {}, { type: message.type })
        else report({ kind: 'preloadFailed', message: message.message })
      },
    )
  }

  const load = async (target: string) => {
    // Chromium's requests have no fragment.
    loading.add(toChromium(target).replace(/#.*$/s, ''))
    const { errorText } =
      (await session?.send<{ errorText?: string }>('Page.navigate', { url: toChromium(target) })) ??
      {}
    if (errorText === undefined) return
    emitter.emit('did-fail-load', {}, -2, errorText, target, true, 1, 1)
    throw new Error(`${errorText} (-2) loading '${target}'`)
  }

  const forTests = {
    crash(why: Reason) {
      reason = why
      members.forcefullyCrashRenderer()
    },
    redirectNext(url: string) {
      redirectNext = toChromium(url)
    },
    loaded: () =>
      new Promise<void>((resolve) => {
        emitter.once('did-finish-load', () => {
          resolve()
        })
      }),
    attachWebview: () =>
      ask(
        'will-attach-webview',
        {},
        { preload: '/tmp/preload.js' },
        { src: 'https://example.com/' },
      ),
  }
  ofTests.push(forTests)

  return {
    contents,
    async attach(page) {
      const source = scripts(channel, binding, preload)
      const { frameTree } = await page.send<{ frameTree: { frame: { id: string } } }>(
        'Page.getFrameTree',
      )
      frames.setMain(frameTree.frame.id)
      session = page
      hear(page)
      for (const domain of ['Page', 'Runtime', 'Inspector']) await page.send(`${domain}.enable`)
      await page.send('Page.addScriptToEvaluateOnNewDocument', { source: source.page })
      await page.send('Runtime.addBinding', { name: binding, executionContextName: world })
      await page.send('Page.addScriptToEvaluateOnNewDocument', {
        source: source.preload,
        worldName: world,
      })
      await page.send('Emulation.setGeolocationOverride', {
        latitude: 0,
        longitude: 0,
        accuracy: 1,
      })
      await page.send('Fetch.enable', {
        patterns: [{ urlPattern: STANDIN_PATTERN }, { urlPattern: '*', resourceType: 'Document' }],
      })
    },
    load,
    destroy() {
      if (destroyed) return
      destroyed = true
      ofTests.splice(ofTests.indexOf(forTests), 1)
      emitter.emit('destroyed')
    },
  }
}
