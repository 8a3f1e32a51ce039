/** Says what ended because a database was restored, and what a person has to do again. */
export const endedText = ({ approvals, policies }: { readonly approvals: number; readonly policies: number }): string =>
  [
    `${approvals} ${approvals === 1 ? 'approval' : 'approvals'} and ${policies} reading ${policies === 1 ? 'policy' : 'policies'} ended: what was used or revoked since the backup is not known\n`,
    'Hosts and keys that were revoked since the backup are accepted again: revoke them again. Pauses and settings are those of the backup.\n',
    'A host that replaced its key since the backup has to enrol again; its old key is accepted again: revoke the requester that has the old key.\n',
  ].join('');
