/**
 * Changes to the built main process, each of which takes one protection away. A named spec must catch each of them, for the given
 * reason; a change that no longer fits the build in exactly one place fails the test, so a refactoring can't empty it.
 */
import type { SpecName } from './specs.ts'

/** The environment variable with the changes that `register.ts` makes to the main process. */
export const CHANGE_VARIABLE = 'COUNTERSIGN_STANDIN_CHANGE'

export interface Change {
  readonly find: string
  readonly replace: string
}

/** Applies a change. Throws unless its text occurs exactly once. */
export function changed(source: string, { find, replace }: Change): string {
  const parts = source.split(find)
  if (parts.length !== 2)
    throw new Error(`The change fits the built main process in ${parts.length - 1} places: ${find}`)
  return parts.join(replace)
}

export interface Mutant extends Change {
  /** The spec that must fail; `start` if the app must fail to show a window. */
  readonly spec: SpecName | 'start'
  readonly says: RegExp
  /** Whether the error names each of several such changes. */
  readonly shares?: true
  /** Whether other specs can't follow: the page keeps navigating, or links and windows stay open. */
  readonly alone?: true
}

const preference = (name: string, value: boolean): Mutant => ({
  find: `${name}:${value},`,
  replace: `${name}:${!value},`,
  spec: 'start',
  says: new RegExp(`refuses webPreferences \\{.* ${name}: ${!value}\\b.*\\}`),
  shares: true,
})

export const mutants: Readonly<Record<string, Mutant>> = {
  "doesn't wait until Electron is ready": {
    find: 'await app.whenReady();',
    replace: '',
    spec: 'start',
    says: /when app is ready/,
  },
  'never shows the window': {
    find: 'if(takesFocus)window.show();else window.showInactive()',
    replace: '',
    spec: 'start',
    says: /No window was shown/,
  },
  'has Node in workers': preference('nodeIntegrationInWorker', false),
  'has Node in child frames': preference('nodeIntegrationInSubFrames', false),
  'has no sandbox': preference('sandbox', true),
  'grants every permission request': {
    find: 'callback(mayHave(permission,details.requestingUrl.startsWith(home)))',
    replace: 'callback(true)',
    spec: 'the page is denied every permission but writing to the clipboard',
    says: /"located": "denied"/,
  },
  'says yes to every permission check': {
    find: 'return mayHave(permission,`${requestingOrigin',
    replace: 'return true||(permission,`${requestingOrigin',
    spec: 'the page is denied every permission but writing to the clipboard',
    says: /"geolocation": "denied"/,
  },
  'lets the page navigate': {
    find: 'if(!details.isMainFrame||!mayNavigate(details.url,home))details.preventDefault()',
    replace: '',
    spec: "a page can't navigate the window or open another",
    says: /^Error: location|because of a navigation/,
    alone: true,
  },
  'follows redirects': {
    find: 'contents.on(`will-redirect`,details=>details.preventDefault())',
    replace: 'void 0',
    spec: "redirects aren't followed",
    says: /redirected/,
    alone: true,
  },
  'lets the page attach a webview': {
    find: 'contents.on(`will-attach-webview`,event=>event.preventDefault())',
    replace: 'void 0',
    spec: "a `webview` can't attach",
    says: /Expected: false/,
  },
  'lets the page open windows': {
    find: 'return{action:`deny`}',
    replace: 'return{action:`allow`}',
    spec: "a link opens in the system's browser after a real click, and only to the web",
    says: /Expected: 1/,
    alone: true,
  },
  'opens links without a click': {
    find: 'if(sinceInput>5e3||!URL.canParse(url))return false;',
    replace: 'if(!URL.canParse(url))return false;',
    spec: "a page can't navigate the window or open another",
    says: /127\.0\.0\.1/,
    alone: true,
  },
  'opens links of any scheme': {
    find: 'return(protocol===`https:`||protocol===`http:`)&&username',
    replace: 'return username',
    spec: "a link opens in the system's browser after a real click, and only to the web",
    says: /file:\/\/\/etc\/passwd/,
    alone: true,
  },
  'hears windows that are not its own': {
    find: 'return sender.isOwnWindow&&sender.isTopFrame',
    replace: 'return sender.isTopFrame',
    spec: 'every channel rejects other windows, child frames and other pages before parsing',
    says: /contents of no window of the app/,
  },
  'hears child frames': {
    find: 'return sender.isOwnWindow&&sender.isTopFrame',
    replace: 'return sender.isOwnWindow',
    spec: 'every channel rejects other windows, child frames and other pages before parsing',
    says: /a child frame/,
  },
  'hears other pages': {
    find: 'sender.url!==null&&sender.url.startsWith(home)',
    replace: 'sender.url!==null',
    spec: 'every channel rejects other windows, child frames and other pages before parsing',
    says: /a page of the web/,
  },
  'sends no content policy': {
    find: '"Content-Security-Policy":CONTENT_SECURITY_POLICY,',
    replace: '',
    spec: 'only files of the manifest are served, with the policy and without sniffing',
    says: /received value must not be null/,
  },
  'serves any file of the computer': {
    find: 'const file=request.method===`GET`?files.find(request.url):null;const content=file===null?void 0:contents.get(file.name);',
    replace: `let file = files.find(request.url), content = file === null ? void 0 : contents.get(file.name);
      if (content === void 0) try {
        content = readFileSync(join(folder, decodeURIComponent(request.url.slice(APP_HOME.length))));
        file = { mediaType: "text/plain" };
      } catch {}`,
    spec: 'only files of the manifest are served, with the policy and without sniffing',
    says: /manifest\.json[^]*"status": 200/,
  },
  'ignores a second start': {
    find: 'if(window.current()!==null)window.show();',
    replace: '',
    spec: 'a second start shows the first window, restored and focused',
    says: /"minimized": false/,
  },
  'leaves the window minimized at a second start': {
    find: 'if(current.isMinimized())current.restore();',
    replace: '',
    spec: 'a second start shows the first window, restored and focused',
    says: /"minimized": false/,
  },
  'ignores the lock of another instance': {
    find: 'if(takeInstanceLock(dataFolder,{open:words}))start',
    replace: 'if(takeInstanceLock(dataFolder,{open:words})||true)start',
    spec: 'a second start shows the first window, restored and focused',
    says: /Expected: 0/,
  },
  'quits without closing the core': {
    find: 'event.preventDefault();if(closing)return;',
    replace: 'return;',
    spec: "quitting closes the core: the folder is free again, and the window's position is saved",
    says: /Expected: false/,
  },
}

/**
 * The mutants, grouped into builds. A start takes more than two seconds of processor time, so a build has several changes if each is
 * for another spec, or if the error names each.
 */
export function builds(): (readonly (readonly [name: string, mutant: Mutant])[])[] {
  const found: (readonly [string, Mutant])[][] = []
  for (const [name, mutant] of Object.entries(mutants)) {
    const fits = ([, { spec, shares, alone }]: readonly [string, Mutant]) => {
      if (mutant.alone === true || alone === true) return false
      return mutant.spec === 'start' || spec === 'start'
        ? mutant.shares === true && shares === true
        : spec !== mutant.spec
    }
    const build = found.find((others) => others.every(fits))
    if (build === undefined) found.push([[name, mutant]])
    else build.push([name, mutant])
  }
  return found
}
