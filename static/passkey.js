// Passkeys: asks the browser for one and sends the form that the question stands in. Forms that have one also take a code, which needs no
// script.
(() => {
  "use strict";

  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

  async function create(question) {
    const made = await navigator.credentials.create({ publicKey: {
      challenge: bytes(question.challenge), rp: { id: question.rpId, name: "Countersign" },
      user: { id: bytes(question.userId), name: question.userName, displayName: question.userName },
      pubKeyCredParams: question.algorithms.map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: question.credentials.map((id) => ({ type: "public-key", id: bytes(id) })),
      authenticatorSelection: { userVerification: "required", residentKey: "discouraged" }, attestation: "none", timeout: 120000,
    } });
    return { id: made.id, rawId: text(made.rawId), type: made.type, clientExtensionResults: {}, response: {
      clientDataJSON: text(made.response.clientDataJSON), attestationObject: text(made.response.attestationObject),
      transports: made.response.getTransports?.() ?? [],
    } };
  }

  async function get(question) {
    const shown = await navigator.credentials.get({ publicKey: {
      challenge: bytes(question.challenge), rpId: question.rpId, userVerification: "required", timeout: 120000,
      allowCredentials: question.credentials.map((id) => ({ type: "public-key", id: bytes(id) })),
    } });
    const response = {
      clientDataJSON: text(shown.response.clientDataJSON), authenticatorData: text(shown.response.authenticatorData),
      signature: text(shown.response.signature),
    };
    if (shown.response.userHandle) response.userHandle = text(shown.response.userHandle);
    return { id: shown.id, rawId: text(shown.rawId), type: shown.type, clientExtensionResults: {}, response };
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-passkey-button]");
    if (!button) return;
    const part = button.closest("[data-passkey]");
    const question = JSON.parse(part.dataset.passkey);
    const status = part.querySelector("[data-passkey-status]");
    button.disabled = true;
    status.textContent = part.dataset.follow;
    try {
      const answer = await (question.userId ? create(question) : get(question));
      part.querySelector("[name=passkeyResponse]").value = JSON.stringify(answer);
      status.textContent = "";
      const form = part.closest("form");
      form.requestSubmit(form.querySelector("button[type=submit]"));
    } catch {
      status.textContent = part.dataset.none;
    } finally {
      button.disabled = false;
    }
  });
})();
