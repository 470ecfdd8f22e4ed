/** The navigation rail: the product mark and the screens, as icons only below 1,000 pixels. */
import { Command, type LucideIcon } from 'lucide-react'
import { screenNames, screens, type Screen } from '../screens.ts'
import { useApp, useAppParts } from '../ui-state/use-app.ts'
import { Hint } from '../ui/button.tsx'

/** Draws the product's mark: two lines of text, countersigned. */
export function Mark() {
  return (
    <svg
      viewBox="0 0 32 32"
      width="28"
      height="28"
      role="img"
      aria-label="Countersign"
      className="shrink-0"
    >
      <rect width="32" height="32" rx="7" className="fill-accent-solid" />
      <path
        d="M8 11h9M8 21h16"
        className="stroke-on-accent"
        strokeWidth="2.4"
        strokeLinecap="round"
        opacity=".75"
      />
      <path
        d="m12.5 16 3.2 3.2L24 11"
        className="fill-none stroke-on-accent"
        strokeWidth="2.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}

export function Rail() {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return (
    <nav
      aria-label="Navigation"
      data-pane="rail"
      className="flex w-[68px] shrink-0 flex-col max-[999px]:w-12 items-center gap-1 border-r border-line bg-surface py-2.5 window-drag rail-inset"
    >
      <Mark />
      <span className="h-2" />
      <Places at="top" />
      <span className="flex-1" />
      <Hint text="Command palette" shortcut="palette" side="right">
        <button
          type="button"
          aria-label="Command palette"
          onClick={() => openOverlay('palette')}
          className="inline-flex size-8 items-center justify-center rounded-control text-subtle hover:bg-control hover:text-text"
        >
          <Command size={16} />
        </button>
      </Hint>
      <Places at="bottom" />
    </nav>
  )
}

function Places({ at }: { readonly at: 'top' | 'bottom' }) {
  return screenNames.map((screen) => {
    const { place } = screens[screen]
    return typeof place === 'object' && place.at === at ? (
      <Place key={screen} screen={screen} Icon={place.Icon} />
    ) : null
  })
}

function Place({ screen, Icon }: { readonly screen: Screen; readonly Icon: LucideIcon }) {
  const { title } = screens[screen]
  const { here, go } = useAppParts(({ navigation }) => ({
    here: [navigation.screen, screens[navigation.screen].place].includes(screen),
    go: navigation.go,
  }))
  return (
    <Hint text={title} shortcut={`go-${screen}`} side="right">
      <button
        type="button"
        aria-current={here ? 'page' : undefined}
        onClick={(event) => {
          // After a click, the next key is for the screen; after a key, it is for the rail.
          if (event.detail > 0) event.currentTarget.blur()
          go(screen)
        }}
        className={`flex h-12 w-[60px] flex-col max-[999px]:size-10 items-center justify-center gap-0.5 rounded-control ${here ? 'bg-selected text-accent' : 'text-muted hover:bg-control hover:text-text'}`}
      >
        <Icon size={18} strokeWidth={1.75} />
        <span className="text-tiny leading-4 font-medium max-[999px]:sr-only">{title}</span>
      </button>
    </Hint>
  )
}
