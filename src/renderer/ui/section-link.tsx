/**
 * Leads from a rule to its section of the interface. The text travels with the app and opens over what is there, a form as
 * well: neither host leaves its page for it, and nothing that was typed is lost.
 */
import { useRef, useState } from 'react'
import { isSection, type Section } from '../../shared/service/section.ts'
import { Dialog } from './dialog.tsx'
import { ReferencePage } from './reference-page.tsx'

export function SectionLink({ section }: { readonly section: string }) {
  const [shown, setShown] = useState<Section | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  if (!isSection(section)) return `section ${section}`
  const close = () => {
    setShown(null)
  }
  return (
    <>
      <button
        type="button"
        className="rounded-small text-subtle underline decoration-dotted underline-offset-2 hover:text-text"
        onClick={() => {
          setShown(section)
        }}
      >
        section {section}
      </button>
      <Dialog
        open={shown !== null}
        onClose={close}
        wide
        title={`The service’s interface, section ${shown ?? section}`}
        description="What Countersign knows of it, in its own words. Findings name these sections."
        initialFocus={heading}
      >
        {shown !== null && <ReferencePage section={shown} onSection={setShown} heading={heading} />}
      </Dialog>
    </>
  )
}
