import { Autocomplete } from '@base-ui/react/autocomplete'
import { Menu } from '@base-ui/react/menu'
import { Check, ChevronRight } from 'lucide-react'
import { useLayoutEffect, type ReactElement, type ReactNode } from 'react'
import { classNames } from './class-names.ts'

export function ButtonMenu({
  trigger,
  align = 'end',
  className = 'min-w-52',
  children,
}: {
  readonly trigger: ReactElement
  readonly align?: 'start' | 'end'
  /** Width or height of the popup, as classes. */
  readonly className?: string
  readonly children: ReactNode
}) {
  return (
    <Menu.Root>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align={align} className="z-50 outline-none">
          <Menu.Popup className={classNames(menuStyle, className)}>{children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

export function Submenu({
  label,
  icon,
  children,
}: {
  readonly label: string
  readonly icon: ReactNode
  readonly children: ReactNode
}) {
  return (
    <Menu.SubmenuRoot>
      <Menu.SubmenuTrigger className={menuItemStyle}>
        {icon}
        <span className="flex-1">{label}</span>
        <ChevronRight size={13} />
      </Menu.SubmenuTrigger>
      <Menu.Portal>
        <Menu.Positioner className="z-50 outline-none">
          <Menu.Popup className={classNames(menuStyle, 'min-w-52')}>{children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.SubmenuRoot>
  )
}

export const menuStyle =
  'max-h-(--available-height) max-w-(--available-width) overflow-y-auto rounded-control border border-line bg-raised p-1 text-base text-text shadow-overlay outline-none'

export const menuItemStyle =
  'flex min-h-7 cursor-default items-center gap-2.5 rounded-small px-2 outline-none select-none data-disabled:opacity-60 data-highlighted:bg-control'

/** Renders an item of a menu; `danger` if it deletes something. */
export function MenuItem({
  kind,
  className,
  ...rest
}: Menu.Item.Props & { readonly kind?: 'danger' | undefined; readonly className?: string }) {
  const color = kind === 'danger' && 'text-bad [&>svg]:text-bad'
  return <Menu.Item className={classNames(menuItemStyle, color, className)} {...rest} />
}

/** Renders an item of a menu in which one is chosen. */
export function MenuChoice({
  isChosen,
  onChoose,
  children,
}: {
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly children: ReactNode
}) {
  return (
    <MenuItem role="menuitemradio" aria-checked={isChosen} onClick={onChoose}>
      <Check size={13} className={`shrink-0 ${isChosen ? '' : 'invisible'}`} />
      {children}
    </MenuItem>
  )
}

export function MenuLine() {
  return <Menu.Separator className="my-1 h-px bg-line" />
}

/** Shows the list below a field that suggests values; must be inside an `Autocomplete.Root`. */
export function Suggestions({
  className,
  children,
}: {
  readonly className: string
  readonly children: ReactNode
}) {
  return (
    <Autocomplete.Portal>
      <Autocomplete.Positioner sideOffset={4} align="start" className="z-50 outline-none">
        <Autocomplete.Popup
          className={classNames(
            'overflow-y-auto rounded-control border border-line shadow-overlay',
            className,
          )}
        >
          <QuietBackground />
          {children}
        </Autocomplete.Popup>
      </Autocomplete.Positioner>
    </Autocomplete.Portal>
  )
}

/**
 * Keeps the page visible to screen readers while a list is open: Base UI hides all but live
 * regions, although Tab still reaches them (mui/base-ui#5528).
 */
function QuietBackground() {
  useLayoutEffect(() => {
    const parts = [...document.body.children].filter((part) => !part.hasAttribute('aria-live'))
    for (const part of parts) part.setAttribute('aria-live', 'off')
    return () => {
      for (const part of parts) part.removeAttribute('aria-live')
    }
  }, [])
  return null
}
