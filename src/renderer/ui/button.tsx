/**
 * Buttons: `primary` for the main action, `plain` beside it, `quiet` in toolbars, `danger` for what
 * can't be undone.
 */
import { Tooltip } from '@base-ui/react/tooltip'
import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactElement, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import type { KeyAction } from '../key-map.ts'
import { ActionKeys, Keys } from './keys.tsx'

/** Explains an element on hover or focus, repeating its accessible name. */
export function Hint({
  text,
  keys,
  shortcut,
  side = 'top',
  children,
}: {
  readonly text: string
  readonly keys?: string | undefined
  readonly shortcut?: KeyAction | undefined
  /** Above the element, unless that would cover text. */
  readonly side?: 'top' | 'right'
  readonly children: ReactElement<Record<string, unknown>>
}) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner side={side} sideOffset={6} className="z-50">
          <Tooltip.Popup className="flex max-w-96 items-center gap-2 rounded-control border border-line bg-raised px-2 py-1 text-small break-words text-text shadow-overlay">
            {text}
            {keys !== undefined && <Keys keys={keys} />}
            {shortcut !== undefined && <ActionKeys action={shortcut} />}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}

type Kind = 'primary' | 'plain' | 'quiet' | 'danger'

const styles: Readonly<Record<Kind, string>> = {
  primary: 'border border-transparent bg-accent-solid text-on-accent hover:bg-accent-solid-hover',
  plain: 'border border-line bg-raised text-text hover:bg-control',
  quiet: 'text-muted hover:bg-control hover:text-text',
  danger: 'border border-transparent bg-bad text-ground hover:opacity-90',
}

export interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: Kind
  readonly icon?: LucideIcon
}

export function Button({ kind = 'plain', icon: Icon, children, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      data-kind={kind}
      className={classNames(
        'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-control px-2.5 text-base font-medium whitespace-nowrap transition-colors select-none',
        'disabled:opacity-60 aria-disabled:opacity-60',
        styles[kind],
        className,
      )}
      {...rest}
    >
      {Icon !== undefined && <Icon size={13} className="shrink-0" />}
      {children}
    </button>
  )
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly label: string
  readonly keys?: string
  readonly shortcut?: KeyAction
  readonly icon: LucideIcon
  readonly pressed?: boolean
}

/** Renders a button with only an icon, named by its hint. */
export function IconButton({
  label,
  keys,
  shortcut,
  icon: Icon,
  pressed,
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Hint text={label} keys={keys} shortcut={shortcut}>
      <button
        type="button"
        data-kind="icon"
        aria-label={label}
        {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
        className={classNames(
          'inline-flex size-7 shrink-0 items-center justify-center rounded-control transition-colors hover:bg-control hover:text-text disabled:opacity-50',
          pressed === true ? 'bg-selected text-accent' : 'text-muted',
          className,
        )}
        {...rest}
      >
        <Icon size={15} />
      </button>
    </Hint>
  )
}

export function FootButton({
  onClick,
  children,
}: {
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="inline-flex h-6 items-center gap-1.5 rounded-small px-1 whitespace-nowrap text-muted hover:bg-control hover:text-text"
    >
      {children}
    </button>
  )
}
