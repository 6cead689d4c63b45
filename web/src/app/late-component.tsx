import { type ComponentType, lazy, useState } from 'react'

interface LateComponent {
  readonly Content: ComponentType
  /** Preloads the chunk, so that the component is shown at once: React shows a fallback for at least 300 ms. */
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

/** Keeps the component that it has rendered first: React would discard the state if the type changed. */
function Late({ choose }: { readonly choose: () => ComponentType }) {
  const [Shown] = useState(choose)
  return <Shown />
}
