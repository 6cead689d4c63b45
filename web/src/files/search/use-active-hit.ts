import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import type { SearchHit } from '../../../../src/storage/search/search.ts'

const steps: Readonly<Record<string, number>> = {
  ...{ ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 },
}

interface ActiveHitParts {
  readonly hits: readonly SearchHit[]
  /** Identifies the search text and place: a new search has other results. */
  readonly search: string
  readonly open: (hit: SearchHit) => void
}

/**
 * The result that Enter opens. The field keeps the keyboard and moves through the results (WAI-ARIA
 * Authoring Practices, "Combobox Pattern").
 */
export function useActiveHit({ hits, search, open }: ActiveHitParts) {
  const id = useId()
  const [active, setActive] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: starts again with each search
  useEffect(() => setActive(0), [search])
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, active])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    const hit = hits[active]
    if (step !== undefined) {
      setActive(Math.max(0, Math.min(active + step, hits.length - 1)))
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing && hit !== undefined) {
      open(hit)
    } else {
      return
    }
    event.preventDefault()
  }
  const hasHits = hits.length > 0
  const field = {
    ...{ role: 'combobox', 'aria-expanded': hasHits, 'aria-controls': id, onKeyDown },
    ...(hasHits && { 'aria-activedescendant': `${id}-${active}` }),
  }
  return { id, active, field }
}
