/** Copying to the clipboard, with feedback at the button. */
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

/** The fallback for pages without clipboard permission. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.setAttribute('aria-hidden', 'true')
  field.className = 'fixed top-0 opacity-0'
  document.body.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  return copied
}

export function CopyButton({
  text,
  label,
  caption,
  className,
}: {
  readonly text: string | (() => string | Promise<string | null>)
  readonly label: string
  /** Shown beside the icon; the accessible name is still the label. */
  readonly caption?: string
  readonly className?: string
}) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [copied])

  const copy = async () => {
    const value = typeof text === 'string' ? text : await text()
    if (value !== null) setCopied(await copyText(value))
  }

  return (
    <button
      type="button"
      data-kind="icon"
      aria-label={copied ? 'Copied' : label}
      title={label}
      onClick={() => void copy()}
      className={classNames(
        'inline-flex h-6 shrink-0 items-center justify-center gap-1.5 rounded-small text-small transition-colors hover:bg-control hover:text-text',
        caption === undefined ? 'w-6' : 'px-1.5',
        copied ? 'text-ok' : 'text-subtle',
        className,
      )}
    >
      {copied ? <Check size={13} /> : <Copy size={13} />}
      {caption !== undefined && <span>{copied ? 'Copied' : caption}</span>}
    </button>
  )
}
