/**
 * The parts of `electron` around the window: menus, tray, notifications, message boxes, power and
 * About. A test acts as user or system by a message (`ShellRequest`).
 */
import { EventEmitter } from 'node:events'
import type {
  App,
  Dialog,
  MenuItemConstructorOptions,
  MessageBoxOptions,
  NativeImage,
  NotificationConstructorOptions,
  Tray as ElectronTray,
} from 'electron'
import { answerTest } from './state.ts'
import { strict } from './strict.ts'

export interface ShownItem {
  readonly id?: string
  readonly label?: string
  readonly role?: string
  readonly type?: string
  readonly accelerator?: string
  readonly enabled?: boolean
  readonly visible?: boolean
  readonly submenu?: readonly ShownItem[]
}

export type ShellReport =
  | { readonly kind: 'applicationMenu'; readonly items: readonly ShownItem[] }
  | { readonly kind: 'popup'; readonly items: readonly ShownItem[] }
  | { readonly kind: 'trayMenu'; readonly items: readonly ShownItem[] }
  | { readonly kind: 'tray'; readonly tooltip: string }
  | { readonly kind: 'notification'; readonly title: string; readonly body: string }
  | {
      readonly kind: 'messageBox'
      readonly message: string
      readonly detail: string
      readonly buttons: readonly string[]
    }
  | { readonly kind: 'about' }
  | { readonly kind: 'zoom'; readonly factor: number }

export type ShellRequest =
  | {
      readonly shell: 'click'
      readonly menu: 'application' | 'popup' | 'tray'
      readonly id: string
    }
  | { readonly shell: 'clickTray' }
  | { readonly shell: 'clickNotification'; readonly title: string }
  /** Answers the next message box with the button of this label. */
  | { readonly shell: 'answer'; readonly button: string }
  | { readonly shell: 'power'; readonly event: 'resume' }

export function reportShell(message: ShellReport): void {
  process.send?.(message)
  // Without a channel, the output shows that the app has opened its window.
  if (process.send === undefined) process.stderr.write(`standin: ${JSON.stringify(message)}\n`)
}

type Template = readonly MenuItemConstructorOptions[]

function shownItems(template: Template): ShownItem[] {
  return template.map((item) => {
    const { id, label, role, type, accelerator, enabled, visible, submenu } = item
    const shown = { id, label, role, type, accelerator, enabled, visible }
    const present = Object.fromEntries(
      Object.entries(shown).filter(([, value]) => value !== undefined),
    ) as ShownItem
    return Array.isArray(submenu) ? { ...present, submenu: shownItems(submenu) } : present
  })
}

function findItem(template: Template, id: string): MenuItemConstructorOptions | undefined {
  for (const item of template) {
    if (item.id === id) return item
    const child = Array.isArray(item.submenu) ? findItem(item.submenu, id) : undefined
    if (child !== undefined) return child
  }
  return undefined
}

/** Throws for templates that Electron refuses, or that would show an empty or dead entry. */
function checkTemplate(template: Template): void {
  for (const { type, role, label, click, submenu, enabled } of template) {
    if (type === 'separator') continue
    if (role === undefined && label === undefined)
      throw new Error('Invalid template for MenuItem: must have a label or a role.')
    if (Array.isArray(submenu)) checkTemplate(submenu)
    else if (role === undefined && click === undefined && enabled !== false)
      throw new Error(`The menu's entry "${label}" does nothing.`)
  }
}

interface StandinMenu {
  readonly template: Template
  popup(options?: object): void
}

const menus: Record<'application' | 'popup' | 'tray', Template> = {
  application: [],
  popup: [],
  tray: [],
}

export const Menu = strict('Menu', {
  buildFromTemplate(template: MenuItemConstructorOptions[]): StandinMenu {
    checkTemplate(template)
    return strict('menu', {
      template,
      popup() {
        menus.popup = template
        reportShell({ kind: 'popup', items: shownItems(template) })
      },
    })
  },
  setApplicationMenu(menu: StandinMenu | null) {
    menus.application = menu?.template ?? []
    reportShell({ kind: 'applicationMenu', items: shownItems(menus.application) })
  },
})

const images = {
  createEmpty: () =>
    strict('nativeImage', {
      addRepresentation({ dataURL }: { readonly dataURL?: string }) {
        if (dataURL?.startsWith('data:image/png;base64,') !== true)
          throw new Error('The picture is not a PNG.')
      },
      setTemplateImage() {},
    } satisfies Partial<NativeImage>),
}
export const nativeImage = strict('nativeImage', images)

const trays: EventEmitter[] = []
type TrayMembers = Pick<ElectronTray, 'setToolTip' | 'setImage'> & {
  setContextMenu(menu: StandinMenu | null): void
}

function createTray() {
  const emitter = new EventEmitter()
  trays.push(emitter)
  const members: TrayMembers = {
    setToolTip(tooltip) {
      reportShell({ kind: 'tray', tooltip })
    },
    setImage() {},
    setContextMenu(menu) {
      menus.tray = menu?.template ?? []
      reportShell({ kind: 'trayMenu', items: shownItems(menus.tray) })
    },
  }
  return strict('tray', Object.assign(emitter, members))
}
export const Tray = new Proxy(
  function () {} as unknown as new (image: object) => ReturnType<typeof createTray>,
  {
    construct: () => createTray(),
  },
)

const notifications: { readonly title: string; readonly emitter: EventEmitter }[] = []

function createNotification({ title = '', body = '' }: NotificationConstructorOptions = {}) {
  const emitter = new EventEmitter()
  return strict(
    'notification',
    Object.assign(emitter, {
      show() {
        notifications.push({ title, emitter })
        reportShell({ kind: 'notification', title, body })
      },
    }),
  )
}
type StandinNotification = ReturnType<typeof createNotification>
export const Notification = new Proxy(
  function () {} as unknown as (new (
    options?: NotificationConstructorOptions,
  ) => StandinNotification) & {
    isSupported(): boolean
  },
  {
    construct: (_target, [options]: [NotificationConstructorOptions]) =>
      createNotification(options),
    get: (_target, key) => (key === 'isSupported' ? () => true : undefined),
  },
)

const power = new EventEmitter()
export const powerMonitor = strict('powerMonitor', power)

let boxes: { readonly buttons: readonly string[]; respond(response: number): void }[] = []

/** Files that the user chooses in the next dialog. */
const chosen: string[] = []
answerTest('chooseFiles', (paths: readonly string[]) => {
  chosen.push(...paths)
})

export const shellDialog = {
  /** Shows a message box; a signal closes it, as its cancel button does. */
  showMessageBox(...given: readonly unknown[]) {
    const {
      message,
      detail = '',
      buttons = [],
      signal,
      cancelId = 0,
    } = given.at(-1) as MessageBoxOptions
    return new Promise<{ response: number; checkboxChecked: boolean }>((resolve) => {
      const box = {
        buttons,
        respond: (response: number) => {
          resolve({ response, checkboxChecked: false })
        },
      }
      boxes.push(box)
      signal?.addEventListener('abort', () => {
        boxes = boxes.filter((one) => one !== box)
        box.respond(cancelId)
      })
      reportShell({ kind: 'messageBox', message, detail, buttons })
    })
  },
  /** Chooses what the test has named, or cancels. */
  showOpenDialog: () => {
    const filePaths = chosen.splice(0)
    return Promise.resolve({ canceled: filePaths.length === 0, filePaths })
  },
} satisfies {
  [K in 'showMessageBox' | 'showOpenDialog']: (...given: never) => ReturnType<Dialog[K]>
}

export const shellApp = {
  setAboutPanelOptions() {},
  showAboutPanel() {
    reportShell({ kind: 'about' })
  },
} satisfies Partial<App>

function carryOut(request: ShellRequest): void {
  switch (request.shell) {
    case 'click': {
      const item = findItem(menus[request.menu], request.id)
      if (item?.click === undefined)
        throw new Error(`The ${request.menu} menu has no entry "${request.id}" to click.`)
      Reflect.apply(item.click, item, [])
      break
    }
    case 'clickTray':
      for (const tray of trays) tray.emit('click')
      break
    case 'clickNotification':
      notifications.findLast(({ title }) => title === request.title)?.emitter.emit('click')
      break
    case 'answer': {
      const [box, ...others] = boxes
      boxes = others
      const response = box?.buttons.indexOf(request.button) ?? -1
      if (response === -1) throw new Error(`No message box has a button "${request.button}".`)
      box?.respond(response)
      break
    }
    case 'power':
      power.emit(request.event)
  }
}

answerTest('shell', carryOut)
