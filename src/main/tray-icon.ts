/** The tray's icon and menu in Electron. */
import { Menu, nativeImage, Tray } from 'electron'
import { throttle } from '../core/base/throttle.ts'
import { type MenuHost, trayMenu } from './shell-menus.ts'
import { type TrayFacts, type TrayState, trayState } from './tray.ts'
import type { MainWindow } from './window.ts'

const isMac = process.platform === 'darwin'

const pictures = import.meta.glob<string>('../../resources/tray/*.png', {
  query: '?inline',
  import: 'default',
  eager: true,
})

function trayImage(icon: TrayState['icon']) {
  const image = nativeImage.createEmpty()
  for (const [index, size] of ['', '@2x'].entries()) {
    const file = `../../resources/tray/${isMac ? 'mac' : 'color'}-${icon}${size}.png`
    image.addRepresentation({ scaleFactor: index + 1, dataURL: pictures[file] ?? '' })
  }
  // The system then draws the icon in the menu bar's color.
  if (isMac) image.setTemplateImage(true)
  return image
}

/** Time between changes of the menu, because some desktops then close an open one. */
const TRAY_EVERY_MS = 1_000

interface TrayIconDeps {
  readonly hasTray: boolean
  readonly window: Pick<MainWindow, 'show'>
}

/** Shows the tray, if the desktop has one. Returns the function that updates it. */
export function setupTray(
  { hasTray, window }: TrayIconDeps,
  facts: TrayFacts,
  place: MenuHost,
): () => void {
  if (!hasTray) return () => undefined
  let shownState = ''
  let icon: TrayState['icon'] = 'idle'
  const tray = new Tray(trayImage(icon))
  // On a Mac, a click opens the menu.
  if (!isMac) tray.on('click', window.show)
  const show = () => {
    const state = trayState(facts, Date.now())
    const text = JSON.stringify(state)
    if (text === shownState) return
    shownState = text
    tray.setToolTip(state.tooltip)
    tray.setContextMenu(Menu.buildFromTemplate(trayMenu(state, place)))
    if (state.icon !== icon) tray.setImage(trayImage(state.icon))
    icon = state.icon
  }
  show()
  return throttle(show, { everyMs: TRAY_EVERY_MS })
}
