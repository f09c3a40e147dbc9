// Before anything is drawn: the colours that were chosen, if any were.
const chosen = localStorage.getItem("studio-theme");
if (chosen) document.documentElement.dataset.theme = chosen;
