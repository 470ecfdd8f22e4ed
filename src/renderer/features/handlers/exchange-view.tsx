/** A request of a check and the response to it. */
import type { ReactNode } from 'react'
import type { CheckExchange } from '../../../shared/model/check.ts'
import { ExactLines, ExactText } from '../../ui/exact-text.tsx'
import { milliseconds } from '../../ui/moment.ts'

export function ExchangeView({
  exchange: { sent, got },
  explained,
}: {
  readonly exchange: CheckExchange
  /** Whether the reason for a missing response is shown elsewhere. */
  readonly explained: boolean
}) {
  const cut = new TextEncoder().encode(sent.body).length < sent.bodySize
  return (
    <>
      <Block
        title="Request"
        label="Request as sent"
        note={
          <>
            signed over <span className="data">{sent.signedUrl}</span>
          </>
        }
      >
        {sent.method} <ExactText text={sent.url} />
        <HeaderLines headers={sent.headers} />
        {sent.body !== '' && (
          <span className="mt-2 block">
            <ExactLines text={sent.body} />
          </span>
        )}
        {cut && (
          <span className="mt-2 block text-subtle">{`First ${sent.body.length.toLocaleString('en')} of ${sent.bodySize.toLocaleString('en')} bytes.`}</span>
        )}
      </Block>
      <Block
        title="Response"
        label="Response as received"
        note={`after ${milliseconds(got.ms)} ms${got.early ? ', before the full request was sent' : ''}`}
      >
        {got.status === null ? (
          <ExactText text={explained ? 'None' : (got.error ?? 'None')} />
        ) : (
          got.status
        )}
        <HeaderLines headers={got.headers} />
        {got.body !== '' && (
          <span className="mt-2 block">
            <ExactLines text={got.body} />
          </span>
        )}
      </Block>
    </>
  )
}

function Block({
  title,
  note,
  label,
  children,
}: {
  readonly title: string
  readonly note: ReactNode
  readonly label: string
  readonly children: ReactNode
}) {
  return (
    <section className="mt-5">
      <h3 className="mb-1.5 flex flex-wrap items-baseline gap-x-2 font-medium">
        {title}
        <span className="min-w-0 text-small font-normal wrap-anywhere text-subtle">{note}</span>
      </h3>
      <pre
        tabIndex={0}
        aria-label={label}
        className="data max-h-96 overflow-auto rounded-control border border-line bg-ground px-3 py-2 leading-5 wrap-anywhere whitespace-pre-wrap"
      >
        {children}
      </pre>
    </section>
  )
}

function HeaderLines({ headers }: { readonly headers: CheckExchange['sent']['headers'] }) {
  return headers.map(([name, value], place) => (
    <span key={place} className="block">
      <span className="text-code-key">{name}</span>: <ExactText text={value} />
    </span>
  ))
}
