/**
 * The page about the service's spec (`docs/service.md`, shipped with the app), at one of its
 * sections.
 */
import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import pageText from '../../../docs/service.md?raw'
import { isSection, sectionAnchor, type Section } from '../../shared/service/hook-finding.ts'
import { classNames } from './class-names.ts'
import { Dialog } from './dialog.tsx'
import { type Inline, type Block, readMarkdown } from './markdown.ts'

interface PageSection {
  readonly anchor: string | null
  readonly blocks: readonly Block[]
}

/**
 * Groups blocks into sections, each begun by a heading with an anchor; the introduction is the
 * first.
 */
function sectionsOf(blocks: readonly Block[]): readonly PageSection[] {
  const sections: { anchor: string | null; blocks: Block[] }[] = []
  for (const block of blocks) {
    const anchor = block.kind === 'heading' ? block.anchor : null
    const last = sections.at(-1)
    if (last === undefined || anchor !== null) sections.push({ anchor, blocks: [block] })
    else last.blocks.push(block)
  }
  return sections
}

interface ReferencePageProps {
  readonly section: Section
  readonly onSection: (section: Section) => void
  readonly heading: RefObject<HTMLHeadingElement | null>
}

function ReferencePage({ section, onSection, heading }: ReferencePageProps) {
  const [sections] = useState(() => sectionsOf(readMarkdown(pageText)))
  const current = sectionAnchor(section)
  const currentElement = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    currentElement.current?.scrollIntoView({ block: 'start' })
  }, [current])
  const follow = (target: string) => {
    const [, number] = /^#section-([\d-]+)$/.exec(target) ?? []
    if (number !== undefined) onSection(number.replace('-', '.') as Section)
  }
  return (
    <div className="flex flex-col gap-5">
      {sections.map(({ anchor, blocks }, index) => {
        const isCurrent = anchor === current
        return (
          <section
            key={anchor ?? index}
            ref={isCurrent ? currentElement : undefined}
            aria-current={isCurrent ? 'location' : undefined}
            className={classNames(
              'flex scroll-mt-4 flex-col gap-2 border-l-2 pl-3.5',
              isCurrent ? 'border-accent' : 'border-transparent',
            )}
          >
            {blocks.map((block, at) => (
              <BlockView
                key={at}
                block={block}
                heading={isCurrent && at === 0 ? heading : undefined}
                onFollow={follow}
              />
            ))}
          </section>
        )
      })}
    </div>
  )
}

interface BlockProps {
  readonly block: Block
  readonly heading: RefObject<HTMLHeadingElement | null> | undefined
  readonly onFollow: (target: string) => void
}

function BlockView({ block, heading, onFollow }: BlockProps) {
  const line = (parts: readonly Inline[]) =>
    parts.map((part, index) => <InlineView key={index} part={part} onFollow={onFollow} />)
  switch (block.kind) {
    case 'heading': {
      const Heading = block.level <= 2 ? 'h3' : 'h4'
      return (
        <Heading
          ref={heading}
          tabIndex={heading === undefined ? undefined : -1}
          className={classNames('w-fit font-medium', block.level <= 2 && 'text-title')}
        >
          {line(block.text)}
        </Heading>
      )
    }
    case 'paragraph':
      return <p>{line(block.text)}</p>
    case 'quote':
      return <p className="border-l border-line pl-3 text-muted">{line(block.text)}</p>
    case 'list': {
      const List = block.ordered ? 'ol' : 'ul'
      return (
        <List
          className={classNames(
            'flex flex-col gap-1 pl-5',
            block.ordered ? 'list-decimal' : 'list-disc',
          )}
        >
          {block.items.map((item, index) => (
            <li key={index}>{line(item)}</li>
          ))}
        </List>
      )
    }
    case 'table':
      return (
        <table className="w-full border-collapse text-left text-small">
          <thead>
            <tr>
              {block.head.map((cell, index) => (
                <th
                  key={index}
                  scope="col"
                  className="border-b border-line py-1 pr-4 font-medium text-muted"
                >
                  {line(cell)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {block.rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, at) => (
                  <td
                    key={at}
                    className="border-b border-line/50 py-1 pr-4 align-top wrap-anywhere"
                  >
                    {line(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )
  }
}

function InlineView({
  part,
  onFollow,
}: {
  readonly part: Inline
  readonly onFollow: (target: string) => void
}): ReactNode {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'code':
      return <code className="data">{part.text}</code>
    case 'strong':
      return <strong className="font-medium">{part.text}</strong>
    case 'emphasis':
      return <em>{part.text}</em>
    case 'link':
      // Other pages of the docs aren't shipped with the app.
      return part.target.startsWith('#') ? (
        <button
          type="button"
          className="text-accent underline underline-offset-2"
          onClick={() => onFollow(part.target)}
        >
          {part.text}
        </button>
      ) : (
        part.text
      )
  }
}

/**
 * Links a rule to its section of the spec, opened over the current screen, so that nothing typed is
 * lost.
 */
export function SectionLink({
  section,
  children,
}: {
  readonly section: string
  /** Text of the link; the section without it. */
  readonly children?: string
}) {
  const [shownSection, setShownSection] = useState<Section | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  if (!isSection(section)) return `spec ${section}`
  const close = () => setShownSection(null)
  return (
    <>
      <button
        type="button"
        className="-my-1 inline-block rounded-small py-1 text-subtle underline decoration-dotted underline-offset-2 hover:text-text"
        onClick={() => setShownSection(section)}
      >
        {children ?? `spec ${section}`}
      </button>
      <Dialog
        open={shownSection !== null}
        onClose={close}
        wide
        title={`Service spec, section ${shownSection ?? section}`}
        description="Countersign's summary of the spec. Findings link to these sections."
        initialFocus={heading}
      >
        {shownSection !== null && (
          <ReferencePage section={shownSection} onSection={setShownSection} heading={heading} />
        )}
      </Dialog>
    </>
  )
}
