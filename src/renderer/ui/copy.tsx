import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { classNames } from './class-names.ts'

/** Copies a text; returns false if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** Copies a text on a page without clipboard permission. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.setAttribute('aria-hidden', 'true')
  field.className = 'fixed top-0 opacity-0'
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  return isCopied
}

export function CopyButton({
  text,
  label,
  caption,
  className,
}: {
  readonly text: string | (() => string | Promise<string | null>)
  readonly label: string
  /** Text beside the icon; the accessible name is still the label. */
  readonly caption?: string
  readonly className?: string
}) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [isCopied])

  const copy = async () => {
    const value = typeof text === 'string' ? text : await text()
    if (value !== null) setCopied(await copyText(value))
  }

  return (
    <button
      type="button"
      data-kind="icon"
      aria-label={isCopied ? 'Copied' : label}
      title={label}
      onClick={() => void copy()}
      className={classNames(
        'inline-flex h-6 shrink-0 align-middle items-center justify-center gap-1.5 rounded-small text-small transition-colors hover:bg-control hover:text-text',
        caption === undefined ? 'w-6' : 'px-1.5',
        isCopied ? 'text-ok' : 'text-subtle',
        className,
      )}
    >
      {isCopied ? <Check size={13} /> : <Copy size={13} />}
      {caption !== undefined && <span>{isCopied ? 'Copied' : caption}</span>}
    </button>
  )
}
