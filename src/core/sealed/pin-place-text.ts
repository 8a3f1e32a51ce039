/** What a host reports about the pin with which it checks approvals. The server cannot check the report. */

/** Where the pin is. `system`: in a place where only root can write; `own`: beside the requester's keys; `none`: the host has no pin. */
export const PIN_PLACES = ['system', 'own', 'none'] as const;
export type PinPlace = (typeof PIN_PLACES)[number];

const TEXTS: Readonly<Record<PinPlace, string>> = {
  system: 'it checks seals by a pin in a place where only root can write',
  own: "it checks seals by a pin beside the requester's keys, where the requester can write",
  none: 'no approvers are pinned on it, so it accepts unsealed approvals',
};

/** Returns a clause in which `it` means the host. The caller must say that the clause is a claim of the host. */
export const pinPlaceText = (pin: PinPlace): string => TEXTS[pin];
