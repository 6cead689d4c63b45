import { type ComponentType, lazy, useState } from 'react'

interface LateComponent {
  readonly Content: ComponentType
  /** Loads it ahead. It is then shown at once: React shows what it shows instead for at least 300 ms. */
  readonly load: () => Promise<unknown>
}

/** A component in a chunk of its own. */
export function lateComponent(chunk: () => Promise<ComponentType>): LateComponent {
  let loaded: ComponentType | undefined
  const load = async () => {
    loaded = await chunk()
    return { default: loaded }
  }
  const later = lazy(load)
  const render = () => <Late choose={() => loaded ?? later} />
  return { Content: render, load }
}

/** Stays with what it has shown first, because another type would lose the state of the component. */
function Late({ choose }: { readonly choose: () => ComponentType }) {
  const [Shown] = useState(choose)
  return <Shown />
}
