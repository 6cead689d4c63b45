import { IconLogout } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { wouldEndSomething } from '../session/sign-out-guard.ts'
import { useSession } from '../session/use-session.ts'
import { IconButton } from '../ui/icon-button.tsx'

const Confirm = lazy(async () => {
  const { Confirm } = await import('../ui/confirm.tsx')
  return { default: Confirm }
})

export function SignOutButton() {
  const { signOut } = useSession()
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <IconButton
        label="Sign out"
        size="lg"
        data-sign-out
        onClick={() => {
          if (wouldEndSomething()) setIsAsking(true)
          else void signOut()
        }}
      >
        <IconLogout size={18} />
      </IconButton>
      {isAsking && (
        <Suspense fallback={null}>
          <Confirm
            isOpen
            title="Sign out?"
            action="Sign out"
            onConfirm={() => void signOut()}
            onClose={() => setIsAsking(false)}
          >
            Transfers in this tab are not finished. Signing out cancels them.
          </Confirm>
        </Suspense>
      )}
    </>
  )
}
