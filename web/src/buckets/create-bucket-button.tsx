import { Button, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { CreateBucketDialog } from './create-bucket-dialog.tsx'

interface CreateBucketButtonProps extends Pick<ButtonProps, 'size' | 'variant' | 'leftSection'> {
  readonly children: string
}

export function CreateBucketButton(props: CreateBucketButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button {...props} onClick={open} />
      {isOpen && <CreateBucketDialog onClose={close} />}
    </>
  )
}
