/** What a host says about the pin with which it checks approvals. The server cannot check it. */

/** `system`: where only root can write. `own`: beside the requester's keys. `none`: no approvers are pinned. */
export const PIN_PLACES = ['system', 'own', 'none'] as const;
export type PinPlace = (typeof PIN_PLACES)[number];

const TEXTS: Readonly<Record<PinPlace, string>> = {
  system: 'it checks seals by a pin in a place where only root can write',
  own: "it checks seals by a pin beside the requester's keys, where the requester can write",
  none: 'no approvers are pinned on it, so it accepts unsealed approvals',
};

/** For people. The text has to be shown as a claim of the host. */
export const pinPlaceText = (pin: PinPlace): string => TEXTS[pin];
