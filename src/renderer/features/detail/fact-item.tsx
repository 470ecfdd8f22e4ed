/** An item of a list of facts. */
import type { ReactNode } from 'react'
import { CopyButton } from '../../ui/copy.tsx'
import { menuValue, type MenuValue } from '../../ui/menu-value.ts'

export function FactItem({
  name,
  menu = null,
  children,
}: {
  readonly name: string
  readonly menu?: MenuValue | null
  readonly children: ReactNode
}) {
  return (
    <>
      <dt className="text-subtle">{name}</dt>
      <dd {...(menu === null ? {} : menuValue(menu))} className="min-w-0 wrap-anywhere">
        {children}
      </dd>
    </>
  )
}

export function Copied({
  text,
  label,
  children,
}: {
  readonly text: string
  readonly label: string
  readonly children: ReactNode
}) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <span className="data min-w-0 wrap-anywhere text-text">{children}</span>
      <CopyButton text={text} label={label} className="-my-1.5" />
    </span>
  )
}
