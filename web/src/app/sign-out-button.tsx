import { IconLogout } from '@tabler/icons-react'
import { useState } from 'react'
import { wouldEndSomething } from '../session/sign-out-guard.ts'
import { useSession } from '../session/use-session.ts'
import { frameTexts } from '../texts/frame.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { LazyConfirm } from '../ui/lazy-confirm.tsx'

export function SignOutButton() {
  const { signOut } = useSession()
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <IconButton
        label={frameTexts.signOut}
        size="lg"
        data-sign-out
        onClick={() => {
          if (wouldEndSomething()) setIsAsking(true)
          else void signOut()
        }}
      >
        <IconLogout size={18} />
      </IconButton>
      <LazyConfirm
        isOpen={isAsking}
        title={frameTexts.signOutAsk}
        action={frameTexts.signOut}
        onConfirm={() => void signOut()}
        onClose={() => setIsAsking(false)}
      >
        {frameTexts.signOutCancels}
      </LazyConfirm>
    </>
  )
}
