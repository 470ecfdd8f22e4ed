/** Buttons: `primary` for the one thing to do, `plain` beside it, `quiet` in bars, `danger` for what cannot be undone; and the icon alone, always with a name. */
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Hint } from './hint.tsx'

type Kind = 'primary' | 'plain' | 'quiet' | 'danger'

const looks: Readonly<Record<Kind, string>> = {
  primary: 'bg-accent-solid text-on-accent hover:bg-accent-solid-hover',
  plain: 'border border-line bg-raised text-text hover:bg-control',
  quiet: 'text-muted hover:bg-control hover:text-text',
  danger: 'bg-bad text-ground hover:opacity-90',
}

export interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: Kind
  readonly icon?: ReactNode
}

export function Button({ kind = 'plain', icon, children, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      data-kind={kind}
      className={classNames(
        'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-control px-2.5 text-base font-medium whitespace-nowrap transition-colors select-none',
        'disabled:opacity-60 aria-disabled:opacity-60',
        looks[kind],
        className,
      )}
      {...rest}
    >
      {icon}
      {children}
    </button>
  )
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly label: string
  /** Keys that do the same, drawn in the hint. */
  readonly keys?: string
  readonly icon: ReactNode
  readonly pressed?: boolean
}

export function IconButton({ label, keys, icon, pressed, className, ...rest }: IconButtonProps) {
  return (
    <Hint text={label} {...(keys === undefined ? {} : { keys })}>
      <button
        type="button"
        aria-label={label}
        {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
        className={classNames(
          'inline-flex size-7 shrink-0 items-center justify-center rounded-control transition-colors hover:bg-control hover:text-text disabled:opacity-50',
          pressed === true ? 'text-accent' : 'text-muted',
          className,
        )}
        {...rest}
      >
        {icon}
      </button>
    </Hint>
  )
}
