import { type ComponentProps, lazy, Suspense } from 'react'
import type { Confirm as ConfirmDialog } from './confirm.tsx'
import { HeldKeys } from './held-keys.ts'

const Confirm = lazy(async () => {
  const { Confirm } = await import('./confirm.tsx')
  return { default: Confirm }
})

/** A question whose code is loaded when it is asked, for what the first page shows. */
export function LazyConfirm(props: ComponentProps<typeof ConfirmDialog>) {
  if (!props.isOpen) return null
  return (
    <Suspense fallback={<HeldKeys onCancel={props.onClose} />}>
      <Confirm {...props} />
    </Suspense>
  )
}
